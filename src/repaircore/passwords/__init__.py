"""Change passwords, or reset them with a link."""
