"""Store messages together with the changes they report, and send them by e-mail, SMS and webhook in background jobs."""
