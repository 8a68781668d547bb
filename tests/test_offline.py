"""A worker is offline, and the download it starts is not, unless the user said so."""

from embedlab.offline import as_the_user_had_it, go_offline


def test_what_going_offline_changed_is_undone_for_a_new_worker(monkeypatch):
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "DISABLE_SAFETENSORS_CONVERSION"):
        monkeypatch.setenv(name, "before")
        monkeypatch.delenv(name)
        monkeypatch.setenv(f"EMBEDLAB_ASKED_{name}", "x")
        monkeypatch.delenv(f"EMBEDLAB_ASKED_{name}")
    import os

    go_offline()
    go_offline()
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert "HF_HUB_OFFLINE" not in as_the_user_had_it(dict(os.environ))


def test_a_user_who_went_offline_stays_offline(monkeypatch):
    import os

    monkeypatch.setenv("HF_HUB_OFFLINE", "yes")
    monkeypatch.setenv("EMBEDLAB_ASKED_HF_HUB_OFFLINE", "x")  # so that it is restored after the test
    monkeypatch.delenv("EMBEDLAB_ASKED_HF_HUB_OFFLINE")
    go_offline()
    assert as_the_user_had_it(dict(os.environ))["HF_HUB_OFFLINE"] == "yes"
