"""Technologies: each package speaks to one kind of outside, behind the ports of the slices."""
