"""Payment gateways: the sandbox for the test environment, and Stripe."""
