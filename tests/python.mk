# Tests of what lines of Python the time passed in.
python_tests = tests/python_run.sh tests/python_lines.sh tests/python_layout.sh tests/python_modules.sh tests/python_subinterpreters.sh
TESTS += $(python_tests)
EXTRA_DIST += $(python_tests) tests/python_common.sh tests/python/planted.py tests/python/layout.c tests/python/free_threaded.c tests/python/modules.py tests/python/module.py \
	tests/python/container.py
