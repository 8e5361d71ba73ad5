# Tests of tacho record --pid.
TESTS += tests/attach_run.sh
EXTRA_DIST += tests/attach_run.sh tests/python/attached.py
