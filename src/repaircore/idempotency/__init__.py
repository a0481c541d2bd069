"""Idempotency keys: each has one effect and one reply (docs/decisions/one-transaction.md)."""
