"""Area A, the main service: one module per slice."""
