"""What a release of a series must know of those before it, says of them, and is checked by."""
