"""The database itself: connections, transactions, locks, and moving everything in and out."""
