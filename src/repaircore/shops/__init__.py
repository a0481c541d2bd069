"""Shops: the letterhead on an account's documents."""
