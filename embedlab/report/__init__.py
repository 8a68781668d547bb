"""What is told of a run: methods and citations, model card, the replay."""
