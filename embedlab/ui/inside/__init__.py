"""The pages that look inside an encoder: Layers, Length and Diagnostics."""
