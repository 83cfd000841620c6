"""A report as a page: HTML, SVG and a style sheet in one file, without scripts."""
