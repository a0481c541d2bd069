"""Backups: everything that the database keeps, in one file that both databases can be restored from."""
