"""Encoders as data: names, the catalog, kinds of transformer, the settings of adapters."""
