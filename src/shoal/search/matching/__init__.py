"""Classes of two and three records, by matchings and factors of least weight."""
