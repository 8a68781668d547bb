"""A small BERT that has only learned to guess hidden tokens; its card is README.md."""
