"""The documentation: pages of Markdown, and in `site` what makes a site of them."""
