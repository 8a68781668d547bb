"""The pages Layers and Length."""
