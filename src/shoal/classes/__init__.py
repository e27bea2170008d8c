"""Classes: records counted as points, points grouped into classes, and what each class is published as."""
