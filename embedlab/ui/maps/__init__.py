"""The views of the page Maps."""
