"""A Find at work: what chooses, where candidates are made and trained, and the winner's training in full."""
