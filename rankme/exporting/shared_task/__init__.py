"""Files of an unsealed shared task: its tables, teams and outputs."""
