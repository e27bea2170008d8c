"""Tables: columns and their roles, locations, file formats, databases, and generalization hierarchies."""
