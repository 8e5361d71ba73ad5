collector_libtacho_la_SOURCES += collector/clock.c
