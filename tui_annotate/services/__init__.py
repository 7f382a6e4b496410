"""Use cases of the application; each module or package is one use case and imports no other one."""
