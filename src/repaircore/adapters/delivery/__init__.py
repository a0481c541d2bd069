"""Delivery: what is brought to others, such as mails."""
