"""The word model: from the words of a complaint to groups of repairs, by learned weights."""
