"""What shared tasks ask of the database."""
