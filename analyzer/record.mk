analyzer_tacho_SOURCES += analyzer/cmd_record.c analyzer/launch.c analyzer/launch.h \
	analyzer/record_job.c analyzer/record_job.h analyzer/record_spool.c analyzer/record_spool.h
