"""What differs from one operating system to the next: signals, processes and users."""
