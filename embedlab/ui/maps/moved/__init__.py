"""What moved, on Maps."""
