"""The word model: it maps the words of a complaint to groups of repairs, with learned weights."""
