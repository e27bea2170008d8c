"""Classes: records counted as points, points grouped into equivalence classes, and the cells published for each."""
