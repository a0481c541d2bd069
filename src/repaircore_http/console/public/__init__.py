"""The pages that need no account: the front page, quote checks, diagnosis and the repair book."""
