"""Full-domain generalization: the lattice of levels."""
