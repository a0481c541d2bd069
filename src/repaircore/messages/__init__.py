"""Messages by e-mail, SMS and webhook: stored in the transaction of the change they report, and sent by background jobs."""
