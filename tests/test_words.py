"""What users read is plain English: no sentence in the code has one of the turns that readers stumbled over."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from embedlab.corpora.catalog import CATALOG
from embedlab.encoder_catalog.catalog import ENCODERS

ROOT = Path(__file__).parent.parent
ODD = (
    r"\b(?:is|are|was|were|be|been) (?:said|told)\b", r"\btold apart\b", r"\bas asked\b", r"\basked of\b",
    r"\bknown of\b", r"\bnobody'?s\b", r"\bby cosine\b", r"\(s\)", r"\b1 (?:texts|rows|pairs|queries|classes)\b",
    r"\b(?:take|taken|takes) (?:along|away)\b", r"\b(?:was|were) brought\b", r"\bat work\b", r"\banew\b", r"\bsought\b",
    r"\bnought\b", r"\bit then works\b", r"\bwithout saying why\b", r"\btakes? no part\b", r"\bis none of\b",
    r"\bso many (?:texts|steps|lines|runs|labels|copies|layers|tokens|live)\b", r"\b(?:one|a line|a vector|a text) a\b",
    r"(?<!here )\bis no (?:file|folder|number|JSON|text|list|score|setting)\b", r"\bnot followed\b",
    r"\btell(?:s|ing)? apart\b", r"\bstands? (?:there|in|on|below|above|side)\b", r"\bbeside\b",
    r"\ball the same\b", r"\btrained by labels\b",
    r"\b(?:go|goes) on (?:from|with|to)\b", r"\bin place of\b", r"\bname (?:one|it|them|their)\b",
)  # fmt: skip
ALLOWED = {"redirects to another address", "beside the maps"}
BRITISH = re.compile(  # spelled as STYLE's vocabulary has it, "neighbors"; keys, addresses and names in code stay
    r"(?i)(?:colour|neighbour|behaviour|favour|labell|modell|judgement|centr(?:ed|ing)\b|centre\b|licence|grey|catalogue|"
    r"(?:normal|optim|summar|recogn|initial|penal|token|standard|special|quant|minim|maxim|organ|visual|general)is(?=e|i))"
)
KEYS_IN_SENTENCES = ("corpus summarise", "colours view film", 'class="colour-key"')
PATTERNS = [(re.compile(odd), 2, ALLOWED) for odd in ODD] + [(BRITISH, 1, KEYS_IN_SENTENCES)]


def read_by_users(source: str) -> Iterator[tuple[int, str]]:
    """The string literals with a space, docstrings left out, with their line.

    Values that are filled in become ``…``.
    """
    tree = ast.parse(source)
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    bodies = (node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list) and node.body)
    docstrings = {id(body[0].value) for body in bodies if isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts | docstrings:
            text = node.value
        else:
            continue
        if " " in text:
            yield node.lineno, text


def odd_in(source: str) -> list[str]:
    """``line: the turn in its sentence`` for each, British words included.

    A turn in a text of at least two spaces; a word in one with a space, which a key has not.
    """
    return [
        f"{line}: {found.group()!r} in {text!r}"
        for line, text in read_by_users(source)
        for pattern, spaces, allowed in PATTERNS
        if text.count(" ") >= spaces and (found := pattern.search(text)) and not any(each in text for each in allowed)
    ]


@pytest.mark.parametrize("folder", ["embedlab", "pages"])
def test_no_sentence_that_users_read_has_an_odd_turn(folder):
    found = [
        f"{path.relative_to(ROOT)}:{each}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for each in odd_in(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("entries", [ENCODERS, CATALOG], ids=["encoders", "corpora"])
def test_no_text_of_a_catalog_has_an_odd_turn(entries):
    texts = [text for entry in entries for text in entry.model_dump().values() if isinstance(text, str)]
    assert not odd_in("\n".join(map(repr, texts)))


def test_a_planted_turn_is_found_and_code_beside_it_is_not():
    source = '''
def line(n):
    """What is said of the texts."""
    return f"It is said of {n} texts.", "kNN accuracy by cosine", "at_work"
'''
    assert [each.partition(" in ")[0] for each in odd_in(source)] == ["4: 'is said'", "4: 'by cosine'"]


def test_british_spelling_is_found_in_sentences_and_not_in_keys():
    source = (
        'def f(grey):\n    return f"Grey: {grey}.", "labelled texts", "labelled", "run corpus summarise", "gray colors"'
    )
    assert sorted(odd_in(source)) == ["2: 'Grey' in 'Grey: ….'", "2: 'labell' in 'labelled texts'"]
