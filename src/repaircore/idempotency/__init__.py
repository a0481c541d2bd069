"""Idempotency: one effect and one answer for one key (docs/decisions/one-transaction.md)."""
