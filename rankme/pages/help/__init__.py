"""The docs as pages of the site, and which part of them is about which page."""
