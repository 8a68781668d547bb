"""The views of the page Maps, and the page Neighbors."""
