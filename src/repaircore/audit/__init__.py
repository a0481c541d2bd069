"""Reading the audit log; slices write their own entries (``kernel.audit``)."""
