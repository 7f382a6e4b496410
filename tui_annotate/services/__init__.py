"""Use cases of the application: one per module or package; no use case imports another one."""
