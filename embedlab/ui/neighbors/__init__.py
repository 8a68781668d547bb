"""The page Neighbors."""
