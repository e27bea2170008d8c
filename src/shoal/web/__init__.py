"""The local web app: pages in, an action called, a page shown. Extra `shoal[web]`."""
