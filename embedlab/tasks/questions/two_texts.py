"""What lies between two texts of the corpus, on both sides."""

from embedlab.runs.two_texts import between
from embedlab.tasks.questions.sides import sides_of


def two_texts(question: dict) -> dict:
    """``first second``, two rows -> for each side what ``between`` says."""
    first, second = question["first"], question["second"]
    return {name: between(side.vectors, first, second) for name, side in sides_of(question).items()}
