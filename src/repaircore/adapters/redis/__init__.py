"""Rate windows kept in Redis, which all machines share; the only package that speaks to it."""
