"""Rate limits: sliding windows, exact over all workers."""
