"""What is remembered: the SQLite store of record, and LanceDB's cache of vectors."""
