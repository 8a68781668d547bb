"""The settings of the demo run: what Home's button and ``python -m embedlab demo`` do.

The recipe is our own, at the length it was tuned with on development texts (tests/benchmarks/README.md): on ``docs`` it
ends above TF-IDF by cosine, and the paper's crops, which can use one text in seven there, clearly below.
"""

DEMO = {"encoder": "token", "recipe": "sentences"}
