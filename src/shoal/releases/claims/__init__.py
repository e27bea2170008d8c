"""Claims: what a release says of itself, read from what its steward keeps or from what was passed on."""
