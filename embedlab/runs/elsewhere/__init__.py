"""A run whose worker may be on another machine: with whom it was started, and who holds it."""
