"""The page Diagnostics."""
