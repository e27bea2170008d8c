"""What can be said about a published table by anyone who holds it."""
