"""Values, failures and ports that all slices share."""
