"""The line model: what a line of an invoice means, learned from labeled lines."""
