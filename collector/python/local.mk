# Which lines of Python the threads are in.
EXTRA_DIST += collector/python/README.md
collector_libtacho_la_SOURCES += \
	collector/python/python.c \
	collector/python/python.h \
	collector/python/python_code.c \
	collector/python/python_code.h \
	collector/python/python_layout.c \
	collector/python/python_layout.def \
	collector/python/python_told.def \
	collector/python/python_layout.h \
	collector/python/python_lines.c \
	collector/python/python_lines.h \
	collector/python/python_module.c \
	collector/python/python_module.h \
	collector/python/python_stack.c \
	collector/python/python_stack.h \
	collector/python/python_tally.c \
	collector/python/python_tally.h \
	collector/python/python_text.c \
	collector/python/python_text.h
