"""The line model: what an invoice line means, learned from labeled lines."""
