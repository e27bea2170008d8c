"""Single-dimensional recoding: sets of cut points, all records alike."""
