"""The text of a shop's quote, parsed into lines."""
