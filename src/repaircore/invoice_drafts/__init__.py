"""Read invoices from photos or PDFs into drafts, which a person corrects, and which are recorded once."""
