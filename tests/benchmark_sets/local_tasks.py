"""A few sentences of our own, how they are graded, and what mteb wants to know of a task."""

SENTENCES = [
    "A comet crossed the night sky.",
    "The telescope found a new planet.",
    "Butter melts in a hot pan.",
    "Simmer the onions until they are soft.",
    "The judge read the verdict aloud.",
    "A witness spoke before the court.",
    "The sails filled with wind at noon.",
    "An anchor held the boat in the bay.",
    "Stars form in clouds of dust.",
    "Bake the dough until the crust is brown.",
]
PAIRS = [
    (0, 1, 3.5), (0, 8, 4.0), (2, 3, 3.0), (4, 5, 4.5), (6, 7, 3.8), (0, 2, 0.5), (1, 4, 0.2), (3, 9, 3.1), (5, 6, 0.0),
]  # fmt: skip
QUESTIONS = {"q1": ("What moves in the sky?", {"d0": 1, "d1": 1}), "q2": ("How are onions cooked?", {"d3": 1})}


def described(name: str, kind: str, score: str, **facts):
    """What mteb wants to know of a task."""
    from mteb.abstasks.task_metadata import TaskMetadata

    return TaskMetadata(
        name=name,
        description="A few sentences made for a test.",
        dataset={"path": "local/none", "revision": "0" * 40},
        type=kind,
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score=score,
        reference=None,
        date=None,
        domains=None,
        task_subtypes=None,
        license=None,
        annotations_creators=None,
        dialect=None,
        sample_creation=None,
        bibtex_citation=None,
        **facts,
    )
