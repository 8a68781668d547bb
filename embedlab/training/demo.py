"""The demo: ``mini`` learns for one epoch from text crops, and the three runs that are compared with it."""

from typing import Any

CORPUS = "docs-topics"

_SHORT_CROPS = {"sentences": 1, "min_characters": 20, "max_characters": 400}  # documentation texts are short

DEMO: dict[str, Any] = {
    "corpus": CORPUS,
    "encoder": "mini",
    "recipe": "crops",
    "epochs": 1,
    "batch_size": 16,
    "learning_rate": 5e-4,
    "max_length": 64,
    "evaluate_every": 12,  # nine points of 94 steps
    "live_texts": 2000,
    "augmentation": _SHORT_CROPS,
}
DROPOUT_PAIRS: dict[str, Any] = DEMO | {"recipe": "dropout"}  # the comparison of the crops paper, section 3.3
ELONGATION: dict[str, Any] = DEMO | {"recipe": "elongation-self", "augmentation": {}}  # LA(SER)³, section 4
TEST_TEXTS_LEFT_OUT: dict[str, Any] = DEMO | {"train_on": "train_split"}  # what having read the test texts changes
