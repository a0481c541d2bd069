"""Passwords, tokens and secrets."""
