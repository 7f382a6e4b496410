"""The tree of a collection: `folding` knows its rows, `rows` paints, `screen` reads and acts."""
