"""The text of a shop's quote: which lines it has, and what they say."""
