"""Label sets and guidelines: every version, which is in force, what was changed."""
