# Tests of collector.
