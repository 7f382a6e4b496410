"""The SQLite store of record, and LanceDB's cache of vectors.

- `log`: the append-only log of actions, and what follows from it
- `corpus`: datasets, samples, documents
- `assignments`: who has which samples, and by which rules
- `labels`: label sets and guidelines, every version of them
- `people`: people, accounts, sessions, presence
- `scores`: runs of machines, their scores, orders of the queue by them
- `vectors`: the cache of vectors
- `tables`: the columns of all tables; `migrations` brings older stores up to date
"""
