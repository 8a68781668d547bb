"""Published combinations of augmentation, objective and settings, each with the table it comes from."""

from dataclasses import dataclass, field

from embedlab.augmentations import AUGMENTATIONS
from embedlab.objectives import OBJECTIVES
from embedlab.registry import Registry


@dataclass(frozen=True)
class Recipe:
    """A method as data. ``augmentation`` and ``objective`` are keys, None where nothing is trained."""

    key: str
    title: str
    sentence: str
    paper: str
    when: str
    augmentation: str | None
    objective: str | None
    settings: dict = field(default_factory=dict)

    @property
    def needs(self) -> frozenset[str]:
        """What the encoder or the corpus must offer, of both parts."""
        if self.augmentation is None:
            return frozenset()
        return AUGMENTATIONS[self.augmentation].needs | OBJECTIVES[self.objective].needs


RECIPES = Registry(
    "recipe",
    [
        Recipe(
            key="crops",
            title="Text crops",
            sentence="Two crops of the same text are pulled together; the other texts of the batch are pushed away.",
            paper="crops paper, section 3.2 and Table 1",
            when="Texts of several sentences. The strongest label-free recipe of the crops paper.",
            augmentation="crop",
            objective="infonce",
        ),
        Recipe(
            key="dropout",
            title="Dropout pairs (SimCSE-style)",
            sentence="One crop goes through the encoder twice; only dropout makes the two views differ.",
            paper="crops paper, section 3.2 and Table 1; SimCSE",
            when="Single sentences, or to see how much the crops themselves give.",
            augmentation="identity",
            objective="infonce",
        ),
        Recipe(
            key="crops-masking",
            title="Crops and masking",
            sentence="As text crops, with a share of each crop's tokens hidden.",
            paper="crops paper, A.1 and Figure S2c",
            when="To see that masking adds nothing to crops: the paper's accuracy falls with the share.",
            augmentation="crop-masking",
            objective="infonce",
        ),
        Recipe(
            key="untouched",
            title="Untouched",
            sentence="Nothing is trained: the encoder's embeddings as they are, measured and drawn.",
            paper="crops paper, Table 1, columns 1–5",
            when="A baseline, or a look at a corpus.",
            augmentation=None,
            objective=None,
        ),
    ],
)
