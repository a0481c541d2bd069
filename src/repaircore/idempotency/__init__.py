"""Idempotency keys: one effect and one reply for each (docs/decisions/one-transaction.md)."""
