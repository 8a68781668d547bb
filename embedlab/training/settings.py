"""Everything one run is told: the request to fine-tune, and the request to time what that would take."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from embedlab.config import Request, may_be_empty, validated
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoder_catalog.catalog import FOR_SENTENCES, EncoderReference, is_for_sentences
from embedlab.encoder_catalog.names import kind_of
from embedlab.errors import SettingsError
from embedlab.measurement import I_SENTENCES, Note
from embedlab.objectives.matryoshka import Matryoshka
from embedlab.prompts import PromptSettings
from embedlab.training.optimiser import Optimiser
from embedlab.training.recipe import Recipe
from embedlab.training.recipes import RECIPES, recipe_of
from embedlab.training.usual import WORDS_TEMPERATURE, start_of, usual_rate

if TYPE_CHECKING:
    import numpy as np

    from embedlab.augmentations.base import Augmentation
    from embedlab.corpora.base import Corpus
    from embedlab.corpora.sets.stored import GivenPairs
    from embedlab.encoders.encoder import Encoder
    from embedlab.objectives.base import Objective

_DIMENSIONS = re.compile(r"\s*[1-9]\d{0,5}(:\d+(\.\d+)?)?\s*(,\s*[1-9]\d{0,5}(:\d+(\.\d+)?)?\s*)*")
_PARTS, _PART = ("augmentation", "objective", "adapter"), "settings by their names"


class RunSettings(Request):
    """One training run. Fields left out take the recipe's values, then these defaults (crops paper, section 3.2)."""

    task: ClassVar[str] = "train"
    corpus: str = Field(description="Fingerprint of a corpus in the store, or docs.")
    encoder: EncoderReference = Field("token", description="The encoder to start from.")
    pairs: str | None = Field(
        None, description="Fingerprint of given pairs in the store; the recipes of given pairs train on them."
    )
    judge: str | None = Field(
        None, description="Fingerprint of an evaluation set in the store, measured before, during and after training."
    )
    target: str | None = Field(
        None,
        description="Fingerprint of a labeled corpus that is also measured at each live point: that of a later phase.",
    )
    recipe: str = Field(
        "crops", description="A published combination of augmentation and objective, or OBJECTIVE+AUGMENTATION."
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Fixes weights, order, crops and dropout.")

    schedule: Literal["fitted", "epochs", "paper"] = Field(
        "epochs",
        description="fitted: as many steps as suit the texts, ended when live points stop rising (the default for "
        "encoders made from the corpus); epochs: the given number, by default one for pretrained encoders; paper: as "
        "in the recipe's paper.",
    )
    epochs: int | None = Field(
        1,
        json_schema_extra={"empty": "until Max steps"},
        ge=1,
        le=1000,
        description="Times every usable text is seen; empty: until max_steps.",
    )
    max_steps: int | None = may_be_empty(
        "no limit", "Stop after this many steps, whatever the epochs.", ge=1, le=10_000_000
    )
    batch_size: int = Field(
        64,
        ge=2,
        le=65536,
        description="Texts in a batch, at least 2: negatives and batch statistics come from the others.",
    )
    micro_batch: int | None = may_be_empty(
        "a whole batch",
        "Texts that the encoder processes at a time (gradient caching): a batch of any size then fits "
        "into memory, at the cost of a second forward pass; empty processes a whole batch. The result equals that of "
        "the whole batch.",
        ge=1,
        le=65536,
    )
    optimiser: Literal["adam", "adamw", "rmsprop"] = Field("adam", description="How gradients become steps.")
    learning_rate: float | None = Field(
        None,
        gt=0,
        le=10,
        description="Peak learning rate; empty takes the recipe's for transformers (or 2e-5; at least 0.0005 for at "
        "most 256 dimensions; 0.001 for random weights and a fitted length), 0.01 for token layers and 0.001 for "
        "those of word statistics.",
    )
    warmup: float = Field(0.1, ge=0, le=1, description="Share of one epoch in which the learning rate rises.")
    decay: Literal["linear", "constant", "steps"] = Field(
        "linear",
        description="Then the rate falls to 0 at the last step, stays constant, or drops to 80, 60, 40 and 20 % at "
        "500, 1,000, 1,500 and 2,000 steps.",
    )
    weight_decay: float = Field(
        0.0, ge=0, le=1, description="For AdamW and RMSprop, without biases and normalizations."
    )
    gradient_clipping: float | None = may_be_empty(
        "none", "Maximum norm of the whole gradient; empty does not clip.", gt=0, le=1000
    )
    max_length: int | None = may_be_empty(
        "the encoder's own", "Tokens read per text; empty takes the encoder's own.", label="Tokens read", ge=4, le=32768
    )
    training_length: int | None = may_be_empty(
        "as Tokens read",
        "Tokens read per view in training; empty: as otherwise, beyond 512 the texts' 95th percentile.",
        ge=4,
        le=32768,
    )
    pooling: str | None = may_be_empty(
        "the encoder's own", "How token vectors become one vector; empty takes the recipe's, else the encoder's own."
    )
    dimensions: int | None = may_be_empty(
        "the encoder's own",
        "Keep only this many first dimensions of each vector, in training, measuring and export "
        "(truncate_dim); empty keeps the encoder's own.",
        label="Dimensions kept",
        ge=1,
        le=100_000,
    )
    vocabulary_size: int = Field(
        30522, ge=200, le=200_000, description="Maximum size of a vocabulary that is trained on the corpus."
    )
    bidirectional: bool = Field(
        False,
        description="Let each token of a decoder (Qwen, Llama, …) see the whole text as in LLM2Vec: "
        "from the start of training on, so the first point of the curve says what it costs; the export keeps it.",
    )
    frozen_layers: int | None = may_be_empty(
        "none", "Freeze the embedding block and this many lower layers; empty freezes nothing.", ge=0, le=48
    )
    matryoshka: str | None = may_be_empty(
        "all dimensions alone",
        "Numbers of first dimensions for which a contrastive loss is added up, as 384,128,32, each with a "
        "weight behind a colon if it is not 1, as 384,32:0.3; empty takes the loss of all dimensions.",
    )
    train_on: Literal["all", "train_split"] = Field(
        "all", description="All texts, without labels, as in the paper; or without the test texts and their copies."
    )
    train_texts: int | None = may_be_empty(
        "all",
        "Train on only this many of these texts, drawn by the seed; all are measured. Empty takes all.",
        ge=2,
        le=10_000_000,
    )
    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="Where to compute.")
    precision: Literal["auto", "fp32", "bf16"] = Field(
        "auto", description="For training: bf16 where the device supports it; fp32 also resets that of embeddings."
    )
    embedding_precision: Literal["auto", "fp32", "bf16"] = Field(
        "auto",
        description="For measured embeddings: bf16 where the device supports it, training may use it and the "
        "cosine to fp32 is at least 0.9999 for 64 texts of the corpus, else fp32.",
    )
    evaluate_every: int | None = may_be_empty(
        "a fifth of the time",
        "Steps between live points; empty limits evaluation to a fifth of the time, so that speed decides which steps "
        "are compared. Set it where a run must repeat exactly.",
        ge=1,
    )
    live_texts: int = Field(2000, ge=0, le=50_000, json_schema_extra={"label": "Texts per live point"},
                            description="Labeled texts behind a live point, at most; 0 draws none.")  # fmt: skip
    live_map: bool = Field(True, json_schema_extra={"label": "Draw maps during training"},
                           description="Draw probe texts at each live point; the maps become the film.")  # fmt: skip
    live_map_texts: int = Field(1000, ge=500, le=2000, json_schema_extra={"label": "Texts on the live map"},
                                description="Texts on the live map; fewer if there are fewer.")  # fmt: skip
    early_stopping: int | None = may_be_empty(
        "off",
        "End after this many live points without improvement and keep the best; empty trains to the last step.",
        ge=1,
        le=1000,
    )
    judged_by: Literal["knn", "loss", "ranks", "set"] = Field(
        "knn",
        description="What makes a live point better: kNN accuracy of development texts, the loss on views of a "
        "held-out tenth of the texts (fitted uses it where no text has a label), the ranks at which held-out "
        "summaries find each other and their text (SemCSE, A.3), or the evaluation set of the setting judge, such as "
        "Spearman's correlation on STS pairs (UNSEE, SimCSE).",
    )
    checkpoint_every: int | None = may_be_empty(
        "every 2 minutes",
        "Steps between checkpoints from which a run can resume; empty saves one every two minutes.",
        ge=1,
    )
    maps: bool = Field(True, json_schema_extra={"label": "Draw maps at the end"},
                       description="Draw the maps before and after when the run ends.")  # fmt: skip
    inside: bool = Field(
        True,
        json_schema_extra={"label": "Measure layers and length at the end"},
        description="Measure every layer and the length attack when the run has ended and the device is idle, unless "
        "that would take more than a minute.",
    )

    prompts: PromptSettings = Field(default_factory=PromptSettings, description="What is put before texts.")
    augmentation: dict[str, Any] = Field(default_factory=dict, description="Settings of the augmentation.")
    objective: dict[str, Any] = Field(default_factory=dict, description="Settings of the objective.")
    adapter: dict[str, Any] = Field(
        default_factory=dict, description="Settings of an adapter, trained instead of the encoder's own weights."
    )

    @field_validator("matryoshka", mode="before")
    @classmethod
    def _dimensions(cls, written: Any) -> Any:
        """A single number is one that a person typed."""
        written = str(written) if type(written) is int else written
        if isinstance(written, str) and written and not _DIMENSIONS.fullmatch(written):
            raise ValueError("it needs numbers of dimensions with commas between them, such as 384,128,32:0.3")
        return written or None

    @property
    def matryoshka_weights(self) -> dict[int, float]:
        """By the number of dimensions; empty where all alone are trained."""
        pairs = (each.partition(":") for each in (self.matryoshka or "").replace(" ", "").split(",") if each)
        return {int(dimensions): float(weight or 1) for dimensions, _, weight in pairs}

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, values: dict) -> dict[str, Any]:
        """Merge the recipe's values under the request, and complete the settings of its two parts."""
        for name, kind, expected in (("recipe", str, "a recipe's key"), *((part, dict, _PART) for part in _PARTS)):
            if not isinstance(values.get(name, kind()), kind):
                raise SettingsError("E-SETTING", f"Setting {name!r} is {values[name]!r}, but {expected} is needed.")
        recipe = recipe_of(values.get("recipe", "crops"))
        encoder = str(values.get("encoder", "token"))
        begins = start_of(encoder, {**recipe.settings, **values}, recipe.learning_rate) if recipe.objective else {}
        under = {**begins, **recipe.settings}
        if values.get("schedule") == "paper":
            if not recipe.schedule:
                raise SettingsError(
                    "E-SETTING", f"The paper of {recipe.key} trains one epoch: leave the setting 'schedule' out."
                )
            under = {**under, **recipe.schedule}
        by_judge = {"judged_by": "set"} if values.get("judge") else {}
        values = {name: value for name, value in under.items() if name not in _PARTS} | by_judge | values
        if values.get("judged_by") == "set" and not values.get("judge"):
            raise SettingsError(
                "E-SETTING", "Setting 'judged_by' is set, so 'judge' has to be an evaluation set, but it is empty."
            )
        if values.get("pairs") and recipe.augmentation is not None and not recipe.trains_on_pairs:
            trained = ", ".join(each.key for each in RECIPES if each.trains_on_pairs)
            raise SettingsError(
                "E-SETTING",
                f"Setting 'pairs' is given, but {recipe.key} does not train on pairs. Choose from: {trained}.",
            )
        is_fitted = values.get("schedule") == "fitted"
        if values.get("epochs", 1) is None and values.get("max_steps") is None and not is_fitted:
            raise SettingsError(
                "E-SETTING", "Setting 'epochs' is empty, so 'max_steps' has to set the end, but it is empty too."
            )
        for part, chosen in (("augmentation", recipe.augmentation_part), ("objective", recipe.objective_part)):
            if chosen is None:
                values[part] = {}
            else:
                has_own = kind_of(encoder) == "words" and "temperature" in chosen.config_class.model_fields
                usual = {"temperature": WORDS_TEMPERATURE} if has_own else {}
                part_settings = usual | under.get(part, {}) | values.get(part, {})
                values[part] = validated(chosen.config_class, part_settings, where=part).model_dump()
        of_adapter = values.get("adapter")  # who sets its rank wants LoRA
        adapter = validated(AdapterConfig, {"kind": "lora", **of_adapter} if of_adapter else {}, where="adapter")
        values["adapter"] = {} if adapter.kind == "none" or recipe.objective is None else adapter.model_dump()
        return values

    @property
    def waits_for(self) -> str:
        """The device that the run waits for."""
        return self.device

    @property
    def recipe_part(self) -> Recipe:
        """The recipe itself."""
        return recipe_of(self.recipe)

    @property
    def needs(self) -> frozenset[str]:
        """What these settings need from encoder and corpus."""
        return self.recipe_part.needs_with(self.augmentation)

    @property
    def remark_on_encoder(self) -> Note | None:
        """What is to be expected where an encoder is trained on texts alone that was trained for sentences before."""
        is_by_texts = self.recipe_part.objective is not None and not self.recipe_part.is_supervised and not self.pairs
        if not is_by_texts or not is_for_sentences(self.encoder):
            return None
        return Note(code=I_SENTENCES, message=FOR_SENTENCES)

    @property
    def asked_embedding_precision(self) -> str:
        """``precision=fp32`` applies to both training and embedding."""
        return "fp32" if self.embedding_precision == "auto" and self.precision == "fp32" else self.embedding_precision

    def learning_rate_for(self, encoder: Encoder) -> float:
        """The peak learning rate: as requested, otherwise the recipe's or the encoder's default."""
        if self.learning_rate is not None:
            return self.learning_rate
        is_token = encoder.layers == 0
        is_words = is_token and getattr(encoder, "has_unit_length", False)
        has_adapter = bool(self.adapter)
        return usual_rate(
            self.recipe_part, width=encoder.width, is_token=is_token, is_words=is_words, has_adapter=has_adapter
        )

    def make_augmentation(self, corpus: Corpus | GivenPairs, rows: np.ndarray) -> Augmentation:
        """The augmentation with its settings, over the rows to train on or over given pairs."""
        part = self.recipe_part.augmentation_part
        assert part is not None, "nothing is trained"
        return part(corpus, rows, validated(part.config_class, self.augmentation, where="augmentation"))

    def make_objective(self, encoder: Encoder) -> Objective:
        """The objective with its settings, on top of this encoder."""
        part = self.recipe_part.objective_part
        assert part is not None, "nothing is trained"
        loss = part(validated(part.config_class, self.objective, where="objective"), encoder)
        weights = self.matryoshka_weights
        return Matryoshka(loss, weights, encoder) if weights else loss

    def make_optimiser(self, encoder: Encoder, objective: Objective, *, per_epoch: int, steps: int) -> Optimiser:
        """The optimiser with its schedule, for encoder and objective."""
        return Optimiser(
            encoder,
            objective,
            learning_rate=self.learning_rate_for(encoder),
            warmup_steps=int(self.warmup * per_epoch),
            steps=steps,
            kind=self.optimiser,
            decay=self.decay,
            weight_decay=self.weight_decay,
            clipping=self.gradient_clipping,
        )


class Estimate(RunSettings):
    """Time a few steps of such a run and extrapolate."""

    task: ClassVar[str] = "estimate"


def completed(settings: dict) -> dict[str, Any]:
    """Every setting of a run by name: the request over the recipe's values over the defaults."""
    return validated(RunSettings, settings).model_dump()
