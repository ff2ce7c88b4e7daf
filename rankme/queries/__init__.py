"""What the record says: questions to the database that change nothing."""
