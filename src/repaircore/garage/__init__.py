"""The garage: the vehicles of an account, what they need, and what they cost."""
