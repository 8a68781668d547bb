"""One text seen twice, with no other text pushed away: the four objectives of UNSEE."""

from embedlab.training.recipe import Recipe

_FAMILY = "Without negatives"
_COMMON = {  # UNSEE's train.py: 1 epoch, batch 32, length 64, AdamW 1e-4, weight decay 0.01, clipping 1.0
    "batch_size": 32,
    "training_length": 64,
    "optimiser": "adamw",
    "weight_decay": 0.01,
    "gradient_clipping": 1.0,
    "augmentation": {"unit": "text"},
}
_SCHEDULE = {"epochs": None, "max_steps": 31_250, "objective": {"width": 10}}
_SCHEDULE_LINE = "31,250 steps of 32, one pass over the paper's million sentences, with its ten times wider head"


def _unsee(key: str, title: str, sentence: str, paper: str, when: str, phrase: str = "") -> Recipe:
    return Recipe(
        key=key,
        title=title,
        sentence=sentence,
        paper=f"UNSEE, {paper}",
        when=when,
        methods_phrase=phrase or f"{title} on two views by dropout",
        family=_FAMILY,
        augmentation="identity",
        objective=key,
        settings=_COMMON,
        learning_rate=1e-4,
        pooling="mean",
        schedule=_SCHEDULE,
        schedule_line=_SCHEDULE_LINE,
    )


WITHOUT_NEGATIVES = [
    _unsee(
        "byol",
        "BYOL",
        "One view predicts the other as a slowly following copy of the encoder embeds it.",
        "sections 3 and 4, Figure 5",
        "Small batches: nothing depends on the other texts of the batch.",
        phrase="BYOL, one view predicting a slowly moving copy's view of the other",
    ),
    _unsee(
        "barlow-twins",
        "Barlow Twins",
        "Each dimension agrees between the two views and differs from all other dimensions.",
        "sections 3 and 4, Figure 2",
        "When dimensions should not duplicate each other.",
    ),
    _unsee(
        "vicreg",
        "VICReg",
        "The views agree, each dimension varies between texts, and no two dimensions vary together.",
        "sections 3 and 4, Figure 3",
        "To weight the three terms yourself.",
    ),
    _unsee(
        "corinfomax",
        "CorInfoMax",
        "The views agree while the embeddings fill as much of the space as they can.",
        "sections 3 and 4, Figure 4",
        "When embeddings should not collapse onto a few directions.",
    ),
]
