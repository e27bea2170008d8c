"""Local recoding: classes that are each recoded for themselves."""
