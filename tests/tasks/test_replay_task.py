"""The replay as a job and as a command."""

import json

from doing import do

from embedlab.__main__ import main
from embedlab.store_root import read_json


def test_a_job_writes_the_file_and_says_what_is_in_it(token_run):
    job = do("replay", {"run": token_run.id, "with_texts": True})
    page, told = job.replay.read_text(encoding="utf-8"), read_json(job.result)
    assert page.startswith("<!DOCTYPE html>") and told["texts"] == told["points"] == 120
    assert told["bytes"] == job.replay.stat().st_size


def test_the_command_writes_it_without_texts(token_run, tmp_path, capsys):
    out = tmp_path / "run.html"
    assert main(["runs", "replay", token_run.id, "--out", str(out), "--without-texts", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["texts"], told["points"]) == (0, 120) and out.read_text(encoding="utf-8").count("</script>") == 2
    assert main(["runs", "replay", token_run.id, "--out", str(tmp_path / "run.txt"), "--json"]) == 2
