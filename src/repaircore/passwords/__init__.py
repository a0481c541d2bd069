"""Passwords: changed by users, and reset with a link sent by mail."""
