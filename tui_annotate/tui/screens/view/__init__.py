"""The screen of a file: what of the annotating one neither knows a store nor writes."""
