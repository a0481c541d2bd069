"""Parse the text of a shop's quote into lines."""
