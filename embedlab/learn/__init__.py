"""Lessons: Markdown that becomes one HTML file, in which a small encoder trains in the student's browser."""
