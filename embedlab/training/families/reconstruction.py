"""A text rebuilt from what is left of it: TSDAE and masked language modelling."""

from embedlab.training.recipe import Recipe

_FAMILY = "Reconstruction"

RECONSTRUCTION = [
    Recipe(
        key="tsdae",
        title="TSDAE",
        sentence="Most words of a text are deleted; a decoder has to reconstruct the whole text from one vector.",
        paper="TSDAE, section 3, appendices A and B",
        methods_phrase="TSDAE, a text rebuilt from the single vector of its damaged copy",
        when="Texts of a special field, also single sentences; a good first phase before training with labels.",
        family=_FAMILY,
        augmentation="deletion",
        objective="tsdae",
        settings={
            "batch_size": 8,
            "optimiser": "adamw",
            "decay": "constant",
            "warmup": 0.0,
        },
        learning_rate=3e-5,
        pooling="cls",
        schedule={"epochs": None, "max_steps": 100_000},
        schedule_line="100,000 steps of 8 texts",
    ),
    Recipe(
        key="mlm",
        title="Masked language model",
        sentence="15 % of the tokens of a text are hidden and have to be predicted from the others.",
        paper="TSDAE, section 5.2; BERT",
        methods_phrase="masked language modelling",
        cites=("wang2021tsdae",),
        when="As the first phase of another run: it teaches the field's words, not whole texts.",
        family=_FAMILY,
        augmentation="mlm-masking",
        objective="mlm",
        settings={
            "batch_size": 8,
            "optimiser": "adamw",
            "weight_decay": 0.01,
        },
        learning_rate=5e-5,
        pooling="mean",
        schedule={"epochs": None, "max_steps": 100_000},
        schedule_line="100,000 steps of 8 texts",
    ),
]
