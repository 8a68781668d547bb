"""How sure a difference is."""
