"""Partners: accounts of the partner platform, their keys and their sessions."""
