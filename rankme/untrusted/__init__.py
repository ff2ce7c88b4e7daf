"""What strangers send, read strictly: one meaning for each document, bounded, and storable."""
