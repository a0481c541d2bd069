"""Senders of webhooks, mail and SMS."""
