"""The pages of a partner, for the accounts that are its members."""
