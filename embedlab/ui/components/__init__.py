"""What several pages are made of: the map, the strip, charts, the form that any settings draw."""
