"""The best encoder in so much time."""
