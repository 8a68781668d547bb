"""What lies between two texts of the corpus, on both sides."""

from embedlab.runs.two_texts import between
from embedlab.tasks.questions.sides import distance_of, sides_of


def two_texts(question: dict) -> dict:
    """``first second``, two rows, and ``distance`` -> for each side what ``between`` says."""
    first, second = question["first"], question["second"]
    distance = distance_of(question)
    return {name: between(side.vectors, first, second, distance) for name, side in sides_of(question).items()}
