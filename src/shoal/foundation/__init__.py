"""Foundation: what every room may use: errors, exact numbers, shelves, progress, wording."""
