"""Learning: recording, importing and deleting transactions, and what estimates learn from them."""
