"""What people look at: pictures of a release."""
