"""Rows that wait outside the database until all of the upload is checked, and their preview."""
