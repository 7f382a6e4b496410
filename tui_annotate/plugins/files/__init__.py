"""Files as bytes, text and values, in and out; what stands in them the formats know."""
