"""Mechanics: the directory that partners book from, their hours, and which of their slots are free."""
