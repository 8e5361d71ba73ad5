# Processes that run already, from outside.
EXTRA_DIST += collector/attach/README.md
collector_libtacho_la_SOURCES += \
	collector/attach/attach.c \
	collector/attach/attach_calls.c \
	collector/attach/attach_calls.h \
	collector/attach/attach_frames.c \
	collector/attach/attach_frames.h \
	collector/attach/attach_image.c \
	collector/attach/attach_image.h \
	collector/attach/attach_native.c \
	collector/attach/attach_native.h \
	collector/attach/attach_socket.c \
	collector/attach/attach_socket.h \
	collector/attach/attach_symbols.c \
	collector/attach/attach_symbols.h \
	collector/attach/attach_threads.c \
	collector/attach/attach_threads.h \
	collector/attach/attach_unwind.c \
	collector/attach/attach_unwind.h
