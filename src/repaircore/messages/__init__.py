"""Messages by e-mail, SMS and webhook: stored in the transaction of the change they report, sent by background jobs."""
