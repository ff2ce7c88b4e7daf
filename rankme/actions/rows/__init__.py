"""The ground of the other actions: writing versions, hashes, files and many rows at once."""
