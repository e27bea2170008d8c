"""Search: the problem, the algorithms that solve it, and what they search, family by family."""
