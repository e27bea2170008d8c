"""`python -m shoal`, and the command `shoal`."""

import os
from typing import NoReturn


def main() -> NoReturn:
    """Load the command line and run it; an interrupt while it loads ends without a word, since nothing has begun."""
    try:
        from shoal.cli import start
    except KeyboardInterrupt:
        os._exit(130)
    start()


if __name__ == "__main__":
    main()
