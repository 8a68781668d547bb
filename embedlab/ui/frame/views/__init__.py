"""Where every view is, what one needs, and the switches that open it."""
