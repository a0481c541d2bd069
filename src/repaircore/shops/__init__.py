"""Shops: the letterhead of an account's documents."""
