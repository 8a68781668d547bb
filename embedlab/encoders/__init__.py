"""Text encoders: where they come from, what may be loaded, and how texts become vectors."""
