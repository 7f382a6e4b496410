"""Text as a terminal shows it: display, layout, layers, cursor; knows offsets and cells, no widget."""
