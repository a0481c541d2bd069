"""Rate windows in Redis, which all machines share; no other package uses Redis."""
