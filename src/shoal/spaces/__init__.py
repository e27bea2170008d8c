"""What several algorithms search."""
