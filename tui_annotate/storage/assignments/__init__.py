"""The samples that each annotator has, and the rules that assign samples."""
