"""Tables with columns of any name: as records, and the meaning of each column."""
