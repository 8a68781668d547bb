"""A run at work, its result, and the line that names it."""
