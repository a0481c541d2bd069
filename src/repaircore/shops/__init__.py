"""Shops: what an account's shop puts at the head of its documents."""
