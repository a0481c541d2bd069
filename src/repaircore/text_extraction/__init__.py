"""Text extraction: read the lines of text in photos and PDFs."""
