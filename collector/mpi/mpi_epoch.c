/*
 * mpi_epoch.c - windows: their definition and end, and their epochs (post, start, complete, wait). Only post
 * and start name a group, so that is kept until the epoch ends.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/define.h"
#include "core/fold.h"
#include "mpi/mpi_comm.h"
#include "mpi/mpi_objects.h"

/* Ranks of a group that are recorded; a larger one is recorded without any. */
#define PEERS_MOST 512

struct epoch_peers {
	uint32_t n;
	uint32_t ranks[PEERS_MOST];
};

/* Targets of a window's started access epoch, and origins of its posted exposure epoch. */
struct epochs {
	struct epoch_peers access, exposure;
};

struct map tacho_windows = MAP_EMPTY;

static struct map epochs = MAP_EMPTY;

static struct epochs *epochs_of(mpi_handle win)
{
	struct epochs *of = (struct epochs *)map_get(&epochs, handle_key(win));

	if (!of && (of = calloc(1, sizeof(*of))))
		map_set(&epochs, handle_key(win), (uintptr_t)of);
	return of;
}

static void epochs_forget(mpi_handle win)
{
	free((struct epochs *)map_get(&epochs, handle_key(win)));
	map_forget(&epochs, handle_key(win));
}

void window_define(const void *at, mpi_handle comm)
{
	mpi_handle win = handle_key(handle_at(at, 0));
	uint64_t body;
	uint32_t id;

	if (!comms_are_kept() || win == tacho_abi.win_null)
		return;
	body = comm_find(comm)->id;
	id = process_allot(DEF_WINDOW);
	process_define(&(
		struct def){ .type = DEF_WINDOW, .id = id, .body = &body, .nbody = sizeof(body) });
	map_set(&tacho_windows, win, id);
}

WRAPPER(MPI_Win_free, (void *win))
{
	mpi_handle handle = handle_at(win, 0);
	uint32_t id = window_number(handle);
	struct span span = span_enter(REGION_MPI_Win_free, id);
	int ret;

	map_forget(&tacho_windows, handle_key(handle));
	epochs_forget(handle);
	ret = MPI_REAL(MPI_Win_free)(win);
	span_leave(&span, SPOOL_RMA, id,
		(uint64_t[]){ spool_pair((uint32_t)SPOOL_RANK_NULL, 0), 0 }, 2);
	return ret;
}

/* Ends the call: on the window as a whole, with its peers, two in a word. */
static void epoch_leave(struct span *span, uint32_t id, const struct epoch_peers *peers)
{
	uint64_t words[2 + PEERS_MOST / 2];
	unsigned n = 2;

	words[0] = spool_pair((uint32_t)SPOOL_RANK_NULL, 0);
	words[1] = 0;
	for (uint32_t i = 0; peers && i < peers->n; i += 2)
		words[n++] = spool_pair(peers->ranks[i],
			i + 1 < peers->n ? peers->ranks[i + 1] : UINT32_MAX);
	span_leave(span, SPOOL_RMA, id, words, n);
}

#define BEGINS(name, set)                                                                          \
	WRAPPER(name, (mpi_handle group, int assertion, mpi_handle win))                           \
	{                                                                                          \
		struct span span = span_enter(REGION_##name, 0);                                   \
		int ret = MPI_REAL(name)(group, assertion, win);                                   \
		struct epochs *of = NULL;                                                          \
                                                                                                   \
		if (span_is_on(&span) && ret == 0 && (of = epochs_of(win)))                        \
			of->set.n = comm_group_ranks(group, win, of->set.ranks, PEERS_MOST);       \
		epoch_leave(&span, window_number(win), of ? &of->set : NULL);                      \
		return ret;                                                                        \
	}

#define ENDS(name, set)                                                                            \
	WRAPPER(name, (mpi_handle win))                                                            \
	{                                                                                          \
		struct span span = span_enter(REGION_##name, 0);                                   \
		int ret = MPI_REAL(name)(win);                                                     \
		struct epochs *of = span_is_on(&span) && ret == 0 ? epochs_of(win) : NULL;         \
                                                                                                   \
		epoch_leave(&span, window_number(win), of ? &of->set : NULL);                      \
		if (of)                                                                            \
			of->set.n = 0;                                                             \
		return ret;                                                                        \
	}

BEGINS(MPI_Win_start, access)
BEGINS(MPI_Win_post, exposure)
ENDS(MPI_Win_complete, access)
ENDS(MPI_Win_wait, exposure)

WRAPPER(MPI_Win_test, (mpi_handle win, int *flag))
{
	struct span span = span_enter(REGION_MPI_Win_test, 0);
	int ret = MPI_REAL(MPI_Win_test)(win, flag);
	struct epochs *of;

	if (!span_is_on(&span))
		return ret;
	if (ret == 0 && !*flag) {
		span_leave_fold(&span, 0, 0, SPOOL_CALL, 0, NULL, 0);
		return ret;
	}
	of = epochs_of(win);
	epoch_leave(&span, window_number(win), of ? &of->exposure : NULL);
	if (of)
		of->exposure.n = 0;
	return ret;
}
