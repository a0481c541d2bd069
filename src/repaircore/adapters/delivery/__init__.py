"""Senders of webhooks, email and SMS."""
