"""Pages for admins: one module per slice."""
