"""Match what service writers type to the repairs in the book."""
