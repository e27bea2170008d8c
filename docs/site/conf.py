"""How Sphinx builds the staged pages: Markdown by MyST, the looks by Furo; nothing from another host."""

from pathlib import Path

import shoal

project = "shoal"
author = copyright = "the shoal authors"  # noqa: A001  (the name that Sphinx reads)
version = release = shoal.__version__
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "attrs_block", "deflist"]
myst_heading_anchors = 6
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures: most are of other packages; links of pages are checked
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
highlight_language = "text"
smartquotes = False  # a flag begins with two hyphens
toc_object_entries = False
exclude_patterns = ["_files"]
html_theme = "furo"
html_title = "shoal"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["sort.js"]
html_search_scorer = str(Path(__file__).parent / "static" / "score.js")
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
