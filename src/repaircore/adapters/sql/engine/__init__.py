"""The database itself: connections, transactions, locks, backup and restore."""
