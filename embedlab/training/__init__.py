"""Recipes, settings, batches and the one training loop."""
