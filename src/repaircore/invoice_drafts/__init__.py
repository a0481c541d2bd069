"""Invoice drafts: read from a photo or PDF, corrected by a person, and recorded once."""
