"""Summaries of a text against each other, its title and its sentences: SemCSE."""

from embedlab.objectives.infonce import INFONCE
from embedlab.training.recipe import Recipe

_FAMILY = "Summaries"
_COMMON = {
    "batch_size": 32,
    "training_length": 128,
    "optimiser": "adamw",
    "weight_decay": 1e-4,
    "decay": "constant",
    "warmup": 0.0,
}
_SCHEDULE = {
    "epochs": None,
    "max_steps": 100_000,
    "evaluate_every": 1000,
    "early_stopping": 15,
    "judged_by": "ranks",
}
_SCHEDULE_LINE = "until the ranks of held-out summaries have not improved for 15 times 1,000 steps, at most 100,000"

SUMMARIES = [
    Recipe(
        key="semcse",
        title="SemCSE",
        sentence="A summary should be closer to another summary, the title or a sentence of its text than to those "
        "of other texts.",
        paper="SemCSE, sections 3 and 4, A.3",
        methods_phrase="SemCSE, summaries, titles and sentences of a text by a triplet margin",
        when="Texts with several summaries each (the page Data can make them): scientific abstracts.",
        family=_FAMILY,
        augmentation="summary-pairs",
        objective="triplet",
        settings=_COMMON,
        learning_rate=2e-5,
        pooling="cls",
        schedule=_SCHEDULE,
        schedule_line=_SCHEDULE_LINE,
    ),
    Recipe(
        key="semcse-cosine",
        title="SemCSE, cosine",
        sentence="The same pairs, compared with all others of the batch (cosine).",
        paper="SemCSE, A.5 and Table 3",
        methods_phrase=f"SemCSE, summaries, titles and sentences of a text, with {INFONCE}",
        when="Like SemCSE, when embeddings will be compared with cosine.",
        family=_FAMILY,
        augmentation="summary-pairs",
        objective="infonce",
        settings={**_COMMON, "objective": {"temperature": 0.07}},
        learning_rate=1e-5,
        pooling="cls",
        schedule=_SCHEDULE,
        schedule_line=_SCHEDULE_LINE,
    ),
]
