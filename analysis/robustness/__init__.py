"""How fragile a ranking is: what would change it, and what it cannot show."""
