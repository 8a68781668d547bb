"""What ``find`` says of a corpus that has nothing to choose by; nothing is begun then."""

import pytest

from embedlab.finds.store import Find


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (("text", "A short text."), "has no labels"),
        (("text,label", "A short text.,only"), "has only one class, 'only'"),
    ],
)
def test_a_corpus_without_two_classes_is_named_with_what_to_do(store, call, tmp_path, columns, said):
    head, row = columns
    file = tmp_path / "mine.csv"
    file.write_text("\n".join([head, *(row.replace("short", f"short {n}") for n in range(30))]), encoding="utf-8")
    code, printed = call("find", "--corpus", str(file), "--minutes", "1", "--quiet")
    message = printed["error"]["message"]
    assert code == 2 and f"the corpus 'mine' {said}" in message and "--judge FILE" in message
    assert not Find.all()
