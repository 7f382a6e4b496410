"""Display of a text in a terminal: line breaks, highlights and cursor, without widgets."""
