"""Passwords: changed by their users, and reset by a link that is sent by mail."""
