"""Reading what was changed by whom; every slice writes it for itself (``kernel.audit``)."""
