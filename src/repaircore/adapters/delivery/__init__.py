"""What goes out by itself: webhooks, and mail."""
