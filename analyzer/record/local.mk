# tacho record: running the command.
EXTRA_DIST += analyzer/record/README.md
noinst_LIBRARIES += analyzer/record/librecord.a
analyzer_record_librecord_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_record_librecord_a_CFLAGS = $(analyzer_cflags)
analyzer_record_librecord_a_SOURCES = \
	analyzer/record/attach.c \
	analyzer/record/attach.h \
	analyzer/record/attach_family.c \
	analyzer/record/attach_family.h \
	analyzer/record/command.c \
	analyzer/record/command.h \
	analyzer/record/commit.c \
	analyzer/record/commit.h \
	analyzer/record/finish.c \
	analyzer/record/finish.h \
	analyzer/record/interrupt.c \
	analyzer/record/interrupt.h \
	analyzer/record/keep.c \
	analyzer/record/launch.c \
	analyzer/record/sanitizer.c \
	analyzer/record/sanitizer.h \
	analyzer/record/launch.h \
	analyzer/record/record_job.c \
	analyzer/record/record_job.h \
	analyzer/record/record_pack.c \
	analyzer/record/record_pack.h \
	analyzer/record/record_share.c \
	analyzer/record/record_share.h \
	analyzer/record/record_spool.c \
	analyzer/record/record_spool.h \
	analyzer/record/snapshot.c \
	analyzer/record/snapshot.h \
	analyzer/record/status.c \
	analyzer/record/status.h
