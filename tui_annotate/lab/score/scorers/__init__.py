"""Built-in scorers of answers and sentences: unigram, similarity, judge, probe and reward."""
