"""Payment gateways: the sandbox of the test environment, and Stripe."""
