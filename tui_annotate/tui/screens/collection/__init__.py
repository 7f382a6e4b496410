"""The tree of a collection: `folding` knows the rows, `rows` paints, `screen` acts."""
