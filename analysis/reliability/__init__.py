"""Agreement of raters, and what each of them did."""
