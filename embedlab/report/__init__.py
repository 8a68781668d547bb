"""Reports on a run: methods and citations, model card, the replay, lines, and the keys of ``--json``."""
