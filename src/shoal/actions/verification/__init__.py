"""Verification with the raw table: what a certificate tells of the loss and the search, derived again."""
