"""Two typed sentences, elongated: their cosine for each number of copies, untouched and fine-tuned."""

from embedlab.diagnostics.length import bench
from embedlab.tasks.questions.sides import sides_of


def length(question: dict) -> dict:
    """``a b copies`` -> the bench of each side."""
    a, b, copies = question["a"], question["b"], question["copies"]
    return {name: bench(side.encoder, a, b, copies) for name, side in sides_of(question).items()}
