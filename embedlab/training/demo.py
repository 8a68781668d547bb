"""The settings of the demo run: what Home's button and ``python -m embedlab demo`` do.

The built-in texts are shorter than abstracts: with the paper's crops (two sentences of 100 to 250 characters) one
text in seven would be used; one sentence of 50 characters or more uses nine in ten. Vocabulary and epochs: for time.
"""

DEMO = {
    "encoder": "token",
    "recipe": "crops",
    "epochs": 3,
    "vocabulary_size": 12_000,
    "augmentation": {"sentences": 1, "min_characters": 50},
}
