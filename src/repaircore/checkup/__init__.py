"""The check-up of an installation: is everything as it should be, and what to do when not."""
