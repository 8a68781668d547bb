"""What is known of the folders, so that thousands are searched as fast as ten."""
