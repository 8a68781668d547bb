"""LoRA adapters: what is set, how one is trained on an encoder, and folders of those that others trained."""
