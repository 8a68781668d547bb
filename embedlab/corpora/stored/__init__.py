"""How a corpus lies on the disk: its columns read where they lie, written in passes."""
