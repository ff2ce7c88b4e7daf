"""Pictures, sounds and films: recognised by their content, and copied without metadata."""
