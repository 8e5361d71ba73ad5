# Dumps of PyTorch's Flight Recorder and output of ncclras, read.
EXTRA_DIST += analyzer/flight/README.md
noinst_LIBRARIES += analyzer/flight/libflight.a
analyzer_flight_libflight_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_flight_libflight_a_CFLAGS = $(analyzer_cflags)
analyzer_flight_libflight_a_SOURCES = \
	analyzer/flight/flight.c \
	analyzer/flight/flight.h \
	analyzer/flight/flight_groups.c \
	analyzer/flight/flight_job.h \
	analyzer/flight/flight_pickle.c \
	analyzer/flight/flight_ras.c \
	analyzer/flight/flight_value.c \
	analyzer/flight/flight_value.h \
	analyzer/flight/flight_verdict.h \
	analyzer/flight/flight_where.c
