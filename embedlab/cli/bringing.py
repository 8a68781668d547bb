"""``bring``: embeddings or coordinates that were made elsewhere become a run."""

from pathlib import Path

from embedlab.cli.reading import corpus_of
from embedlab.cli.running import knn_lines, verdict_of
from embedlab.runs.own import ROLES


def bring(asked, terminal) -> tuple[dict, int]:
    """A worker reads the files, measures what can be measured, and has the maps drawn."""
    from embedlab.cli.running import followed
    from embedlab.runs.runner import submit

    corpus = corpus_of(asked, terminal)
    given = {role: getattr(asked, role) for role in ROLES if getattr(asked, role) is not None}
    files = {role: {"path": str(Path(path).expanduser().absolute()), "column": None} for role, path in given.items()}
    for role in ("before", "after"):
        if role in files:
            files[role]["column"] = asked.column
    return followed(submit("bring", {"corpus": corpus.fingerprint, "name": asked.name, **files}), terminal)


def show_bring(result: dict) -> list[str]:
    """What was measured, and where it can be seen."""
    lines = [warning["message"] for warning in result["warnings"]] + knn_lines(result)
    lines += [sentence] if (sentence := verdict_of(result)) else []
    return [*lines, f"Run {result['run']} ({result['name']}). Its maps stand on the page Maps."]
