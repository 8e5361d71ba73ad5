# Tests of merge.
