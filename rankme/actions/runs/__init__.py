"""Computing analysis runs, writing their files, publishing their reports."""
