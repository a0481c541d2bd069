"""Accounts: users, their management sessions and their API keys."""
