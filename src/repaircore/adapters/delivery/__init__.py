"""Senders of webhooks and mail."""
