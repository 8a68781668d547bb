"""The process that does the work of one run, and a light one that waits for its turn."""
