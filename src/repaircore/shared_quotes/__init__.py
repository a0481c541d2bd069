"""Checked quotes that are shared by a link."""
