"""Looks at a comparison of systems while raters still work, with errors that allow for them."""
