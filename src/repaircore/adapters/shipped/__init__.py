"""Read the data files that ship with the package."""
