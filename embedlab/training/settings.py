"""Everything one run is told, as one Config."""

from typing import Any, Literal

from pydantic import Field, model_validator

from embedlab.augmentations import AUGMENTATIONS
from embedlab.config import Config, validated
from embedlab.objectives import OBJECTIVES
from embedlab.training.recipes import RECIPES, Recipe

TOKEN_LEARNING_RATE = 0.01
TRANSFORMER_LEARNING_RATE = 2e-5


class RunSettings(Config):
    """One training run. Fields left out take the recipe's values, then these defaults (crops paper, section 3.2)."""

    corpus: str = Field(description="Fingerprint of a corpus in the store, or docs.")
    encoder: str = Field("token", description="The encoder to start from.")
    recipe: str = Field("crops", description="The published combination of augmentation and objective.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Fixes weights, order, crops and dropout.")

    epochs: int = Field(1, ge=1, le=1000, description="Times every usable text is seen.")
    max_steps: int | None = Field(None, ge=1, description="Stop after so many steps, whatever the epochs.")
    batch_size: int = Field(64, ge=2, le=65536, description="Texts in a batch; each sees the others as negatives.")
    learning_rate: float | None = Field(
        None, gt=0, le=10, description="Peak learning rate; empty takes the encoder's own (2e-5, token layer 0.01)."
    )
    warmup: float = Field(0.1, ge=0, le=1, description="Share of one epoch in which the learning rate rises.")
    max_length: int | None = Field(
        None, ge=4, le=32768, description="Tokens of a text that are read; empty takes the encoder's own."
    )
    pooling: str | None = Field(None, description="How token vectors become one vector; empty takes the encoder's own.")
    vocabulary_size: int = Field(
        30522, ge=200, le=200_000, description="Entries at most of a vocabulary that is trained on the corpus."
    )
    frozen_layers: int | None = Field(
        None,
        ge=0,
        le=48,
        description="Keep the embedding block and so many lower layers as they are; empty freezes nothing.",
    )
    train_on: Literal["all", "train_split"] = Field(
        "all", description="All texts, without labels, as in the paper; or without the test texts and their copies."
    )
    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="Where to compute.")
    precision: Literal["auto", "fp32", "bf16"] = Field("auto", description="Of training: bf16 where the device has it.")
    embedding_precision: Literal["fp32", "bf16"] = Field(
        "fp32", description="Of embeddings that are measured: fp32 as in the papers, or bf16, about twice as fast."
    )
    evaluate_every: int | None = Field(
        None, ge=1, description="Steps between live points; empty lets evaluation take a fifth of the time at most."
    )
    live_texts: int = Field(2000, ge=0, le=50_000, description="Labelled texts behind a live point; 0 draws none.")
    checkpoint_every: int | None = Field(
        None,
        ge=1,
        description="Steps between checkpoints from which a run can resume; empty saves one every two minutes.",
    )
    maps: bool = Field(True, description="Draw the maps before and after when the run ends.")

    augmentation: dict[str, Any] = Field(default_factory=dict, description="Settings of the augmentation.")
    objective: dict[str, Any] = Field(default_factory=dict, description="Settings of the objective.")

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, values: dict) -> dict:
        """Lay the recipe's values under what was asked, and complete the settings of its two parts."""
        recipe = RECIPES[values.get("recipe", "crops")]
        under = recipe.settings
        values = {**{k: v for k, v in under.items() if not isinstance(v, dict)}, **values}
        for part, registry, key in (
            ("augmentation", AUGMENTATIONS, recipe.augmentation),
            ("objective", OBJECTIVES, recipe.objective),
        ):
            asked = {**under.get(part, {}), **values.get(part, {})}
            if key is None:
                values[part] = {}
            else:
                values[part] = validated(registry[key].config_class, asked, where=part).model_dump()
        return values

    @property
    def recipe_part(self) -> Recipe:
        """The recipe itself."""
        return RECIPES[self.recipe]

    def learning_rate_for(self, encoder) -> float:
        """The peak learning rate: what was asked, else the encoder's own."""
        if self.learning_rate is not None:
            return self.learning_rate
        return TOKEN_LEARNING_RATE if encoder.layers == 0 else TRANSFORMER_LEARNING_RATE

    def make_augmentation(self):
        """The augmentation with its settings."""
        part = AUGMENTATIONS[self.recipe_part.augmentation]
        return part(validated(part.config_class, self.augmentation, where="augmentation"))

    def make_objective(self, encoder):
        """The objective with its settings, above this encoder."""
        part = OBJECTIVES[self.recipe_part.objective]
        return part(validated(part.config_class, self.objective, where="objective"), encoder)
