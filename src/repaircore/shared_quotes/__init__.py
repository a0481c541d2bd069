"""Checked quotes, shared by a link."""
