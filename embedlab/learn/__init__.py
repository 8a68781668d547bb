"""Lessons: Markdown files that become self-contained HTML, in which a small encoder trains in the student's browser."""
