"""Data sets as mteb's repositories are laid out."""

import json


def lines(rows: list[dict]) -> bytes:
    """JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def card(configs: dict[str, dict[str, str]]) -> bytes:
    """A README whose head names the files of each configuration by split."""
    head = ["---", "configs:"]
    for name, files in configs.items():
        head += [f"- config_name: {name}", "  data_files:"]
        for split, path in files.items():
            head += [f"  - split: {split}", f"    path: {path}"]
    return "\n".join([*head, "---", ""]).encode()


def sts(pairs: list[tuple[str, str, float]]) -> dict[str, bytes]:
    """A repository as those of STS."""
    return {"test.jsonl": lines([{"sentence1": a, "sentence2": b, "score": s} for a, b, s in pairs])}


def retrieval(documents: dict[str, str], questions: dict[str, tuple[str, dict[str, int]]]) -> dict[str, bytes]:
    """A repository as those of retrieval: corpus, queries and judgments as configurations."""
    judged = [
        {"query-id": q, "corpus-id": d, "score": g} for q, (_, grades) in questions.items() for d, g in grades.items()
    ]
    files = {
        "default": {"test": "qrels/test.jsonl"},
        "corpus": {"corpus": "corpus.jsonl"},
        "queries": {"queries": "queries.jsonl"},
    }
    return {
        "README.md": card(files),
        "corpus.jsonl": lines([{"_id": key, "title": "", "text": text} for key, text in documents.items()]),
        "queries.jsonl": lines([{"_id": key, "text": text} for key, (text, _) in questions.items()]),
        "qrels/test.jsonl": lines(judged),
    }
