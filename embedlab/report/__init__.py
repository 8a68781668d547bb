"""Reports on a run: methods and citations, model card, replay, lines, JSON keys."""
