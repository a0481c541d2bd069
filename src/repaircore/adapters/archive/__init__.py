"""Backups as zip files: a member of JSON lines for each table, and a manifest."""
