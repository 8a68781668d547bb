"""Three ways to train, and their results: one run, a sweep over a setting, a search for the best encoder."""
