"""Maps of a run and what is read of them."""
