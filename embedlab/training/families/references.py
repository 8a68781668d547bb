"""What other runs are measured against: labels used, or nothing trained."""

from embedlab.training.recipe import Recipe

_FAMILY = "References"

REFERENCES = [
    Recipe(
        key="supervised",
        title="Supervised reference",
        sentence="Two texts with the same label are pulled together: the upper bound, because it uses the labels.",
        paper="TSDAE, section 5.1 (in-domain supervised)",
        when="To see how much labels would give. It reads those of the train split only: no unsupervised result.",
        family=_FAMILY,
        augmentation="same-class",
        objective="infonce",
        schedule={"epochs": 10, "max_steps": 20_000, "early_stopping": 3},
        schedule_line="10 epochs of 64, at most 20,000 steps, ended when development accuracy stops rising",
    ),
    Recipe(
        key="untouched",
        title="Untouched",
        sentence="Nothing is trained: the encoder's embeddings as they are, measured and drawn.",
        paper="crops paper, Table 1, columns 1–5",
        when="A baseline, or a look at a corpus.",
        family=_FAMILY,
        augmentation=None,
        objective=None,
    ),
]
