"""Read the audit log; the other packages write their own entries (``kernel.audit``)."""
