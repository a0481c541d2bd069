"""What is brought to somebody who did not ask at this moment."""
