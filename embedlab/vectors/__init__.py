"""Vectors on the disk: files of ours and of others, whose text each is, and their faults."""
