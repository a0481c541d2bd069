"""The repair book: categories, repairs, which vehicles they fit, and corrections of an installation."""
