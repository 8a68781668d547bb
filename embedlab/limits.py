"""Every size and time limit, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What the app accepts and how long it waits; bytes and seconds unless the name says otherwise."""

    upload_bytes: int = 200 * 2**20
    rows: int = 5_000_000
    columns: int = 2_000
    text_characters: int = 1_000_000
    archive_bytes: int = 2 * 2**30
    archive_members: int = 200_000
    archive_ratio: int = 200
    archive_ratio_from_bytes: int = 50 * 2**20
    config_bytes: int = 2**20
    safetensors_header_bytes: int = 20 * 2**20
    encoder_parameters: int = 2_000_000_000
    language_model_parameters: int = 80_000_000_000
    language_model_bytes: int = 160_000_000_000
    endpoint_answer_bytes: int = 2**20
    evaluated_texts: int = 150_000  # labelled; of more a stratified sample is evaluated
    fold_texts: int = 150_000
    live_share_of_time: float = 0.2
    map_neighbors: int = 90
    mapped_rows: int = 100_000  # of a larger corpus texts are mapped from the disk
    exact_neighbors: int = 150_000  # texts; more have approximate neighbors on a CPU
    neighbor_recall: float = 0.95  # of the 15 nearest, at least
    recall_queries: int = 1_000
    kept_vectors_bytes: int = 2 * 2**30  # of untouched encoders, beside a corpus
    preview_texts: int = 50_000  # drawn first of a larger corpus
    mapped_texts: int = 500_000  # of a larger corpus a stratified sample of ``preview_texts`` is all that is drawn
    class_matrix: int = 300
    ask_idle_seconds: int = 300
    download_timeout_seconds: int = 30


LIMITS = Limits()
