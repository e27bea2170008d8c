"""Which points are near each point: by the price of covering both, by distance, and exactly."""
