"""One module for each format, and what each of them says about itself."""
