"""Series: what several releases of a table that changes tell together."""
