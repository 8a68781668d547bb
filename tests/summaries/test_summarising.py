"""``corpus summarise`` on the command line: what it prints, exit codes, one sentence for a mistake."""

import json

import pytest
from fake_endpoint import MODEL

from embedlab.cli import main
from embedlab.corpora.base import open_corpus


@pytest.fixture
def call(capfd):
    """Run a command in this process: exit code, and what it printed as JSON."""

    def called(*arguments: str) -> tuple[int, dict]:
        capfd.readouterr()
        code = main(["corpus", "summarise", *arguments, "--json"])
        written = capfd.readouterr()
        assert "Traceback" not in written.err
        return code, json.loads(written.out)

    return called


def test_a_file_is_read_and_summarised_by_the_stand_in(call, toy_corpus, tmp_path, capfd):
    file = tmp_path / "texts.csv"
    file.write_text("abstract\n" + "\n".join(f'"{text}"' for text in toy_corpus.texts), encoding="utf-8")
    arguments = (str(file), "--by", "extractive", "--text", "abstract", "--limit", "9", "--set", "words=3")
    code, found = call(*arguments)
    assert code == 0 and found["texts"] == found["asked_texts"] == 9 and found["extractive"]
    assert sum(map(bool, open_corpus(found["corpus"]).summaries)) == 9
    assert main(["corpus", "summarise", *arguments]) == 0
    assert "by Extractive stand-in, not the paper's method" in capfd.readouterr().out


def test_an_endpoint_is_estimated_asked_and_gone_on_with(call, toy_corpus, endpoint, capfd):
    asked = (toy_corpus.fingerprint, "--by", "endpoint", "--model", MODEL, "--url", endpoint.url, "--limit", "6")
    asked += ("--continuations", "2", "--set", "retries=0", "--set", "requests_at_once=1")
    code, found = call(*asked, "--estimate")
    assert code == 0 and found["texts"] == 2 and found["requests"] == 10 and "4 texts" in found["basis"]
    endpoint.behaviours = ["well"] * 5 + ["404"]
    code, found = call(*asked)
    assert code == 2 and found["error"]["code"] == "E-ENDPOINT-REFUSED" and "kept" in found["error"]["message"]
    code, found = call(*asked)
    assert code == 0 and found["requests"] == 5 and found["summaries"] == 60
    assert main(["corpus", "summarise", *asked, "--estimate"]) == 0
    assert "0 of 6 texts are left" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--by", "endpiont"], "Did you mean 'endpoint'"),
        (["--by", "endpoint"], "endpoint.model"),
        (["--by", "endpoint", "--model", "m", "--api", "responses"], "endpoint.api"),
        (["--by", "extractive", "--continuations", "0"], "summaries.continuations"),
        (["--by", "extractive", "--set", "word=3"], "Choose from: words"),
        (["--by", "extractive", "--model", "m"], "Choose from: words"),
        ([], "--by"),
    ],
)
def test_a_mistake_is_one_sentence_before_anything_is_read(call, store, arguments, said):
    code, found = call("nothing.csv", *arguments)
    assert code == 2 and said in found["error"]["message"] and not (store / "jobs").exists()
