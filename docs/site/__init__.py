"""The documentation site: pages are staged, reference pages are written from the code, and Sphinx builds them."""
