"""Passwords: users change them, or reset them with a link."""
