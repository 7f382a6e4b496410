"""What is remembered: the SQLite store of record, and LanceDB's cache of vectors.

    work        what people did: the log, and what follows from it
    corpus      what is annotated: datasets, samples, documents
    shares      who has which samples
    guidance    label sets and guidelines, every version of them
    people      who people are, how they sign in, where they were
    vectors     the cache of vectors
    tables      the columns of all tables; `migrations` brings them up to date

The modules beside these rooms are what all of them stand on, and what looks over the whole store.
"""
