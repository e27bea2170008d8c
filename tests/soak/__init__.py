"""The soak test: random jobs by both ways, and a judge that knows nothing of shoal."""
