"""A run as one HTML file that replays it offline: verdict, curves, film and maps, with or without texts."""

from embedlab.report.replay.content import TEXTS, replay_content, replay_page, texts_in_replay

__all__ = ["TEXTS", "replay_content", "replay_page", "texts_in_replay"]
