"""Backups: the whole database in one file, from which either kind of database can be restored."""
