"""Mails: written in the same transaction as what they tell of, and sent beside requests."""
