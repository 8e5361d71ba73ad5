# Runs that go on: looked at, controlled.
LIVE_TESTS = tests/e2e/watch.sh tests/e2e/snapshot.sh tests/e2e/control.sh tests/e2e/status.sh tests/e2e/finish.sh tests/e2e/live_nodes.sh
TESTS += $(LIVE_TESTS)
EXTRA_DIST += $(LIVE_TESTS) tests/e2e/watch_load.c
