"""Backups as zip files: a JSON Lines member for each table, and a manifest."""
