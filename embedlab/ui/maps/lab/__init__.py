"""Test your reading."""
