"""A view of Train."""
