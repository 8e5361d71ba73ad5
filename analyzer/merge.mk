analyzer_tacho_SOURCES +=
