"""Reports: HTML reports and SVG pictures of a release."""
