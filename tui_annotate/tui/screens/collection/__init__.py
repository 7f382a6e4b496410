"""The tree of a collection: `rows` knows and paints the rows, `screen` acts."""
