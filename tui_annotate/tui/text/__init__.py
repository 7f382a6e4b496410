"""Text as a terminal shows it: display, layout, layers, cursor; cells and offsets, no widget."""
