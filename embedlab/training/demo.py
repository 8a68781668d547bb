"""What the demo trains; a file of its own, because who only starts it must not load torch."""

DEMO = {"encoder": "words", "recipe": "sentences"}  # what is proposed for its texts (augmentations/proposal.py)
