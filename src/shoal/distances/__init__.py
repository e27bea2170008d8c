"""How far two values of a column are from each other."""
