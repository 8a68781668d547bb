"""Documentation strings as prose."""
