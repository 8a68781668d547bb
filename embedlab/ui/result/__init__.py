"""A run while it works, what it found, and the line that names it."""
