/*
 * mpi_life.c - MPI's start and end. After MPI_Init the library is known: its
 * constants, MPI_COMM_WORLD and MPI_COMM_SELF, its version.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>

#include "core/capture.h"
#include "mpi/mpi_call.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/thread.h"

#define LIBRARY_VERSION_ROOM 8192 /* MPI_MAX_LIBRARY_VERSION_STRING of MPICH, the larger */

/* The first line, runs of blanks made one. */
static void line_tidy(char *text)
{
	char *to = text;

	for (char *from = text; *from && *from != '\n'; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

static void library_write(void)
{
	int (*get)(char *, int *) = real_symbol("PMPI_Get_library_version");
	char *text = calloc(1, LIBRARY_VERSION_ROOM + 1);
	int n = 0;

	if (get && text && get(text, &n) == 0) {
		line_tidy(text);
		process_define_property("process.mpi_library", text);
	}
	free(text);
}

/* Before the real call: handles and constants are needed as soon as it is over. */
static inline __attribute__((always_inline)) struct span life_enter(unsigned region)
{
	struct span span = span_enter(region, 0);

	if (span_is_on(&span))
		mpi_abi_find();
	atomic_store(&tacho_main_thread, sys_tid());
	return span;
}

static void life_leave(struct span *span, int ret)
{
	span_leave(span, SPOOL_CALL, 0, NULL, 0);
	if (!span_is_on(span) || ret != 0)
		return;
	comm_define_world();
	library_write();
}

WRAPPER(MPI_Init, (int *argc, char ***argv))
{
	struct span span = life_enter(REGION_MPI_Init);
	int ret = MPI_REAL(MPI_Init)(argc, argv);

	life_leave(&span, ret);
	return ret;
}

WRAPPER(MPI_Init_thread, (int *argc, char ***argv, int required, int *provided))
{
	struct span span = life_enter(REGION_MPI_Init_thread);
	int ret = MPI_REAL(MPI_Init_thread)(argc, argv, required, provided);

	life_leave(&span, ret);
	return ret;
}

WRAPPER(MPI_Session_init, (mpi_handle info, mpi_handle handler, void *session))
{
	struct span span = life_enter(REGION_MPI_Session_init);
	int ret = MPI_REAL(MPI_Session_init)(info, handler, session);

	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	if (span_is_on(&span) && ret == 0) {
		comm_session_begin(handle_at(session, 0));
		library_write();
	}
	return ret;
}

WRAPPER(MPI_Session_finalize, (void *session))
{
	struct span span = span_enter(REGION_MPI_Session_finalize, 0);
	int ret;

	if (span_is_on(&span))
		comm_session_end();
	ret = MPI_REAL(MPI_Session_finalize)(session);
	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	return ret;
}

WRAPPER(MPI_Finalize, (void))
{
	struct span span = span_enter(REGION_MPI_Finalize, 0);
	int ret = MPI_REAL(MPI_Finalize)();

	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	return ret;
}

WRAPPER(MPI_Abort, (mpi_handle comm, int code))
{
	struct mpi_call call = call_enter(REGION_MPI_Abort, comm);
	int ret = MPI_REAL(MPI_Abort)(comm, code);

	call_leave(&call);
	return ret;
}

/*
 * Level 0 ends the capture until the next other level, as the standard
 * suggests. What follows the level means something to profilers only.
 */
WRAPPER(MPI_Pcontrol, (const int level, ...))
{
	struct span span = span_enter(REGION_MPI_Pcontrol, 0);
	int ret = MPI_REAL(MPI_Pcontrol)(level);

	span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	if (comms_are_kept())
		capture_control(level);
	return ret;
}
