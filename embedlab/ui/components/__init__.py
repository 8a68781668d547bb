"""What several pages are made of: the map, the strip, tables, the form that any settings draw."""
