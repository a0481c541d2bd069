"""The audit log, to read; slices write their own entries (``kernel.audit``)."""
