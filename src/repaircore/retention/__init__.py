"""Retention: which old records are deleted, and which are kept forever."""
