"""What the work page and its server send each other."""
