"""Jobs: the request, where its tables come from, and where its results go."""
