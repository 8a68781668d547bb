"""Maps of a run and the measurements made on them."""
