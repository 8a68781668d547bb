"""embedlab.json has one reader: what is ours is whole or refused in a sentence; of strangers what fits is taken."""

import pytest

from embedlab.encoder_catalog.facts import FACTS, EncoderFacts, SavedFacts, facts_if_whole, read_saved_facts
from embedlab.encoders.load import load_encoder
from embedlab.errors import EncoderError
from embedlab.store_root import MissingFile, UnreadableFile, read_json, write_json

SAVED = {"exported_pooling": "mean", "max_length": 128, "dim": 16, "layers": 2}


def test_what_is_written_is_read_and_what_is_unknown_stays(tmp_path):
    write_json(tmp_path / FACTS, {**SAVED, "of_a_later_version": [1]})
    read_saved_facts(tmp_path).model_copy(update={"note": "n", "dim": 8}).write(tmp_path)
    assert read_json(tmp_path / FACTS) == {**SAVED, "dim": 8, "note": "n", "of_a_later_version": [1]}
    assert isinstance(read_saved_facts(tmp_path), SavedFacts)


@pytest.mark.parametrize("wrong", [{"exported_pooling": 3}, {"dim": "16"}, {"layers": None}, {"max_length": 1.5}])
def test_damage_to_what_embedlab_saved_is_one_sentence(tmp_path, wrong):
    write_json(tmp_path / FACTS, SAVED | wrong)
    with pytest.raises(UnreadableFile, match=f"{next(iter(wrong))} does not fit"):
        read_saved_facts(tmp_path)


def test_a_damaged_one_is_no_reason_to_read_an_encoder_otherwise(tmp_path, tiny_bert):
    tiny_bert(pooling="token-7").save(tmp_path / "encoder")
    (tmp_path / "encoder" / FACTS).write_text('{"pooling": "tok', encoding="utf-8")
    with pytest.raises(EncoderError, match=FACTS):
        load_encoder(str(tmp_path / "encoder"))


def test_a_stranger_s_file_gives_what_fits(tmp_path):
    with pytest.raises(MissingFile):
        read_saved_facts(tmp_path)
    assert facts_if_whole(tmp_path) == EncoderFacts()
    (tmp_path / FACTS).write_text("[", encoding="utf-8")
    assert facts_if_whole(tmp_path) == EncoderFacts()
    write_json(tmp_path / FACTS, {"pooling": "cls", "max_length": True, "saw_labels": "yes", "prompts_by_role": 3})
    assert facts_if_whole(tmp_path) == EncoderFacts(pooling="cls")
