"""The place Data: what is stored, and how a file becomes part of it."""
