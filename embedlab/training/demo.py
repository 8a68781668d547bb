"""The settings of the demo run: what Home's button and ``python -m embedlab demo`` do."""

DEMO = {
    "encoder": "token",
    "recipe": "crops",
    "epochs": 5,
    "vocabulary_size": 12_000,
}
