"""Text files in class folders and zips: the class is the first folder, and a hostile zip is refused."""

import struct
import zipfile
from pathlib import Path

import pytest

from embedlab import archives, limits
from embedlab.corpora import load_corpus
from embedlab.errors import CorpusError
from embedlab.limits import Limits
from embedlab.vectors.opened import open_vectors

FILES = {"ships/a.txt": "A ship.", "ships/b.txt": "Two ships.", "trains/c.txt": "A train."}


def zipped(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def code(path: Path) -> str:
    with pytest.raises(CorpusError) as raised:
        load_corpus(str(path))
    return raised.value.code


@pytest.mark.parametrize(
    ("prefix", "more"),
    [
        ("", {}),
        ("all/", {}),
        ("deep/er/", {}),
        ("", {"__MACOSX/ships/._a.txt": b"\0\5", ".DS_Store": b"\0", "ships/photo.jpg": b"\xff\xd8"}),
    ],
)
def test_the_class_is_the_first_folder_that_tells_files_apart(tmp_path, store, prefix, more):
    corpus = load_corpus(str(zipped(tmp_path / "t.zip", {**{prefix + k: v for k, v in FILES.items()}, **more})))
    assert corpus.texts == list(FILES.values())
    assert corpus.labels.tolist() == ["ships", "ships", "trains"]
    ignored = [note.message for note in corpus.info.notes if note.code == "W-IGNORED"]
    assert ignored == (["Left out: 2 operating system files, 1 .jpg file."] if more else [])


def test_files_without_folders_have_no_labels(tmp_path, store):
    assert load_corpus(str(zipped(tmp_path / "t.zip", {"a.txt": "One.", "b.txt": "Two."}))).labels is None


def test_a_folder_reads_like_its_zip(tmp_path, store):
    for name, content in FILES.items():
        (tmp_path / "here" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "here" / name).write_text(content, encoding="utf-8")
    (tmp_path / "secret.txt").write_text("Secret.", encoding="utf-8")
    (tmp_path / "here" / "ships" / "link.txt").symlink_to(tmp_path / "secret.txt")
    corpus = load_corpus(str(tmp_path / "here"))
    assert corpus.texts == list(FILES.values())
    assert corpus.fingerprint == load_corpus(str(zipped(tmp_path / "t.zip", FILES))).fingerprint


ODD_NAMES = [
    *(
        "../x.txt",
        "../../x.txt",
        "/abs/x.txt",
        "C:\\x\\y.txt",
        "a\\..\\..\\x.txt",
        "....//x.txt",
        "./x.txt",
        "a//b.txt",
    ),
    *("CON.txt", "nul", "a:b.txt", "~/x.txt", "-rf.txt", "x" * 300 + ".txt", "é/ü.txt", "\u202etxt.txt", " .txt"),
]


@pytest.mark.parametrize("name", ODD_NAMES, ids=[repr(name[:20]) for name in ODD_NAMES])
def test_no_member_name_becomes_a_path(tmp_path, store, name):
    path = zipped(tmp_path / "t.zip", {name: "A text.", "plain/b.txt": "Another."})
    before = {found for found in tmp_path.rglob("*") if store not in found.parents and found != store}
    corpus = load_corpus(str(path))
    assert "A text." in corpus.texts
    assert {found for found in tmp_path.rglob("*") if store not in found.parents and found != store} == before


def test_links_encrypted_and_nested_archives_are_refused(tmp_path, store):
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert code(tmp_path / "link.zip") == "E-ARCHIVE-LINK"
    assert code(zipped(tmp_path / "nested.zip", {"a/inner.zip": b"PK"})) == "E-ARCHIVE-NESTED"
    content = bytearray(zipped(tmp_path / "locked.zip", {"a.txt": "One."}).read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag of an encrypted member
    (tmp_path / "locked.zip").write_bytes(content)
    assert code(tmp_path / "locked.zip") == "E-ARCHIVE-ENCRYPTED"


def test_a_bomb_is_stopped_while_it_unpacks(tmp_path, store, monkeypatch):
    path = zipped(tmp_path / "bomb.zip", {"a.txt": b"0" * 20_000_000})
    assert path.stat().st_size < 50_000
    monkeypatch.setattr(limits, "LIMITS", Limits(archive_bytes=10_000_000))
    assert code(path) == "E-ARCHIVE-TOO-BIG"
    monkeypatch.setattr(limits, "LIMITS", Limits(archive_ratio_from_bytes=5_000_000))
    assert code(path) == "E-ARCHIVE-TOO-BIG"
    monkeypatch.setattr(archives, "LIMITS", Limits(archive_members=1))
    assert code(zipped(tmp_path / "many.zip", FILES)) == "E-ARCHIVE-TOO-BIG"


def test_members_that_share_bytes_are_refused(tmp_path, store):
    """One compressed block, named by many entries of the directory at the end."""
    content = zipped(tmp_path / "one.zip", {"a.txt": b"0" * 100_000}).read_bytes()
    start, end = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    entry, copies = content[start:end], 500
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, copies, copies, len(entry) * copies, start, 0)
    for name, read in (("overlap.zip", load_corpus), ("overlap.npz", open_vectors)):
        (tmp_path / name).write_bytes(content[:start] + entry * copies + tail)
        with pytest.raises(CorpusError) as raised:
            read(str(tmp_path / name))
        assert raised.value.code == "E-ARCHIVE-OVERLAP"


def test_a_damaged_zip_is_refused(tmp_path, store):
    content = zipped(tmp_path / "t.zip", {"a.txt": "word " * 500}).read_bytes()
    (tmp_path / "cut.zip").write_bytes(content[: len(content) // 2])
    (tmp_path / "bent.zip").write_bytes(content[:45] + b"\xff\xff\xff" + content[48:])
    assert code(tmp_path / "cut.zip") == "E-NOT-A-TABLE"
    assert code(tmp_path / "bent.zip") == "E-NOT-A-TABLE"


@pytest.mark.parametrize("suffix", [".zip", ".xlsx", ".parquet"])
def test_a_file_that_does_not_begin_as_its_name_says_is_called_damaged_not_wrongly_encoded(tmp_path, store, suffix):
    path = tmp_path / f"texts{suffix}"
    path.write_bytes(b"XXXX\x14\x00\x00\x00" + bytes(range(256)) * 4)
    with pytest.raises(CorpusError, match=f"is called {suffix}, but its content is of another type") as refused:
        load_corpus(str(path))
    assert refused.value.code == "E-NOT-A-TABLE"
    path.write_text("text,label\nA cat sat here.,a\nA dog ran off.,b\n", encoding="utf-16")  # text under another name
    assert load_corpus(str(path)).info.texts == 2


def test_a_zip_without_texts_is_refused(tmp_path, store):
    assert code(zipped(tmp_path / "t.zip", {"a.jpg": b"\xff\xd8"})) == "E-NO-TEXTS"
    assert code(zipped(tmp_path / "empty.zip", {})) == "E-NO-TEXTS"
