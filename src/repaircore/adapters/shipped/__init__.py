"""What the package ships as text, read into values."""
