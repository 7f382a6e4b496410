"""The SQLite database of a workspace, and the LanceDB cache of its embedding vectors.

- `log`: the append-only event log, and the tables that are derived from it
- `corpus`: datasets, samples and documents
- `assignments`: the samples that each annotator has, and the rules that assign samples
- `labels`: label sets and guidelines, with all their versions
- `people`: people, accounts, sessions and presence
- `scores`: runs of scorers and judges, their scores, and queue orders that sort by a score
- `vectors`: the cache of embedding vectors
- `tables`: the columns of all tables; `migrations` upgrades older stores
"""
