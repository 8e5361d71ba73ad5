collector_libtacho_la_SOURCES +=
