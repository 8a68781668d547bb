"""The recipes, one file a family."""
