"""Three ways to train, and their results: one run, a sweep over the values of a setting, a search for the best."""
