"""Mails: stored in the same transaction as the change they report, and sent by a background job."""
