"""Runs side by side: rows, values, marks, sheets, recipe by corpus."""
