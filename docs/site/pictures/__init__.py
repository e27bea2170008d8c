"""The pictures of the pages, each drawn by a function; `python -m docs.site.pictures.draw` writes them."""
