"""Actions: what a person can ask for; one verb, one file, named as on the command line."""
