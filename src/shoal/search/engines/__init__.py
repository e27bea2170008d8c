"""Where records are counted and published."""
