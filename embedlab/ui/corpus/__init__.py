"""The place Data: stored data, and how a file becomes part of it."""
