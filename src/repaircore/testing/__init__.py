"""Builders, doubles and upstreams for tests, shipped for those who embed or extend repaircore."""
