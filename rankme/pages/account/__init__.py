"""Pages of a person's own account: logging in, password, sessions."""
