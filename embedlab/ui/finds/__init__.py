"""The search for the best encoder: its form, and what it found."""
