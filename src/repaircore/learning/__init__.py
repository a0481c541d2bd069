"""Learning: past repairs recorded, imported, learned from and taken out again."""
