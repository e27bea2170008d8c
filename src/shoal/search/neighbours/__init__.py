"""The nearest neighbours of points: by the price of covering both, by distance, and exactly."""
