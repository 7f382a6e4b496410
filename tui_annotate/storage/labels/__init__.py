"""Label sets and guidelines: their versions, the version in use, and changes of label sets."""
