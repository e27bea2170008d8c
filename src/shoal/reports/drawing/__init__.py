"""Drawing: the pictures of reports and of the app, as SVG."""
