"""``methods``: how a run was made, as a paragraph with its citations."""

from embedlab.runs.methods import methods_of
from embedlab.runs.store import open_run


def methods(asked, terminal) -> tuple[dict, int]:
    """Text and BibTeX of a finished run."""
    found = methods_of(open_run(asked.run))
    return {"run": asked.run, "text": found.text, "bibtex": found.bibtex, "citations": list(found.keys)}, 0


def show_methods(result: dict) -> list[str]:
    """The paragraph, then the entries."""
    return [result["text"], "", result["bibtex"]]
