"""Text in a terminal: display, layout, layers and cursor, in cells and offsets, without widgets."""
