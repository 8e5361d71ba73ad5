# tacho view.
EXTRA_DIST += analyzer/serve/README.md
noinst_LIBRARIES += analyzer/serve/libserve.a
analyzer_serve_libserve_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_serve_libserve_a_CFLAGS = $(analyzer_cflags)
analyzer_serve_libserve_a_SOURCES = \
	analyzer/serve/http.c \
	analyzer/serve/http.h \
	analyzer/serve/serve.c \
	analyzer/serve/serve.h
