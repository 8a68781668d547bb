"""The maps of a run, what moved on them, and the neighbors of a text."""
