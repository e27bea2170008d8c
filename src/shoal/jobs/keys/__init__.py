"""Keys that only their owner may read, and the pseudonyms that are made with one."""
