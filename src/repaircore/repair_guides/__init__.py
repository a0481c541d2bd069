"""Guides: everything on a repair that is the same for everybody, with its price on a handful of vehicles."""
