"""Senders of webhooks, e-mail and SMS."""
