"""Use cases: one a module or package; none imports another."""
