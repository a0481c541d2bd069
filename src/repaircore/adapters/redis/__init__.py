"""Rate windows in Redis, which all machines share; the only package that uses it."""
