"""Match what service writers type to the repairs of the book."""
