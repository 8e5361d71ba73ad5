# Tests of analyze.
