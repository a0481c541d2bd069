"""Mechanics: the directory that partners book from, working hours, and free slots."""
