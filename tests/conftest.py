"""How all tests run: kernels compile on their first call, so no example has a deadline; CI draws the same examples."""

import os

from hypothesis import settings

settings.register_profile("house", deadline=None, max_examples=60, derandomize="CI" in os.environ)
settings.load_profile("house")
