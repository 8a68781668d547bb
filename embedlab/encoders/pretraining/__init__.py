"""How the packaged encoders were pretrained: texts, packing, masked tokens; run with ``python -m``."""
