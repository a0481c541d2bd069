"""The diagnostic questionnaire: its questions, and the answers of owners."""
