"""Retention: which old records are deleted, and which never are."""
