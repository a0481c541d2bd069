"""Builders, test doubles and fake servers, shipped for those who embed or extend repaircore."""
