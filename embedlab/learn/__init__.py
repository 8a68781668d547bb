"""Lessons: Markdown that becomes one HTML file, which trains a small encoder in the browser."""
