"""The repair book: categories, repairs, which vehicles they fit, and an installation's corrections."""
