# What the pages promise is in the code, and the other way round.
TESTS += tests/docs_man.sh
EXTRA_DIST += tests/docs_man.sh
