"""The demo's corpus: 125 documentation texts on each of twelve topics that a newcomer knows."""

import random
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
_SEED = 0


def drawn_rows(labels: Sequence[str]) -> list[int]:
    """Return the rows of 125 texts of each topic, in their order; of a topic with fewer texts, all of them."""
    rows = []
    for topic in TOPICS:
        of_topic = [row for row, label in enumerate(labels) if label == topic]
        chosen = random.Random(f"{_SEED} {topic}").sample(of_topic, min(TEXTS_EACH, len(of_topic)))
        rows += chosen
    return sorted(rows)
