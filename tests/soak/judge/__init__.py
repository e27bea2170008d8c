"""The judge: standard library alone, and nothing of shoal. It works from the definitions in the literature."""
