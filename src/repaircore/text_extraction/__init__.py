"""Text extraction: the lines of text in photos and PDFs."""
