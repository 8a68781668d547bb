"""The demo's corpus: 125 documentation texts on each of twelve topics that a newcomer knows."""

import hashlib
from collections.abc import Sequence

TOPICS = (  # chosen by meaning, before anything was measured on them
    "Arrays",
    "Tables",
    "Charts",
    "Statistics",
    "Signal processing",
    "Web page elements",
    "Linear algebra",
    "Optimization",
    "Files and formats",
    "Neural network layers",
    "Text generation",
    "Distances and clustering",
)
TEXTS_EACH = 125
RULE = 1  # of drawing; a new number draws anew
_SEED = 0


def drawn_rows(labels: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return the rows of 125 texts of each topic, in their order; of a topic with fewer texts, all of them.

    A text is drawn by the hash of its name, so that another version of a library changes few of the texts.

    labels: the topic of each text, names: its qualified name
    """
    rows = []
    for topic in TOPICS:
        of_topic = [row for row, label in enumerate(labels) if label == topic]
        of_topic.sort(key=lambda row: _draw(names[row]))
        rows += of_topic[:TEXTS_EACH]
    return sorted(rows)


def _draw(name: str) -> str:
    """Return a number that looks random and is the same everywhere."""
    return hashlib.sha256(f"{_SEED} {name}".encode()).hexdigest()
