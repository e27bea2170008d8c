"""`python -m shoal`."""

from shoal.cli import start

start()
