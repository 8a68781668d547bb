"""What ``import embedlab`` offers to notebooks and scripts."""

from embedlab.api.measuring import compare, embed, evaluate, layers, length_attack
from embedlab.api.run import Run
from embedlab.api.search import find
from embedlab.api.training import import_embeddings, list_runs, load_corpus, open_run, train
from embedlab.errors import EmbedlabError

__all__ = [
    "EmbedlabError", "Run", "compare", "embed", "evaluate", "find", "import_embeddings", "layers", "length_attack",
    "list_runs", "load_corpus", "open_run", "train",
]  # fmt: skip
