"""The form of one run."""
