"""Tables: columns and their roles, where they lie, how they are read and written, and their hierarchies."""
