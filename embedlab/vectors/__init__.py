"""Vectors on the disk: our files and those of others, which text each is of, and what is wrong with them."""
