/*
 * mpi_request.c - the table of special requests (mpi_request.h). An entry is
 * looked up by handle without a lock and belongs to the request as long as it
 * lives; only `active` changes, between a start in one thread and a
 * completion in another.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_request.h"

_Atomic uint32_t tacho_specials, tacho_wildcards;

struct special {
	uint16_t region;	 /* call that made it */
	_Atomic uint16_t active; /* started, not completed */
	uint32_t comm;
	uint32_t plan;		 /* which persistent collective of `comm`, from 1; 0: none */
	_Atomic uint32_t starts; /* of a persistent collective, that were recorded */
	uint64_t words[3];	 /* of its SPOOL_STARTED: what stays the same */
	const void *newcomm;	 /* MPI_Comm_idup: where the communicator will be */
	struct creation creation;
};

static struct map specials = MAP_EMPTY;

static struct special *special_find(mpi_handle request)
{
	return (struct special *)map_get(&specials, handle_key(request));
}

static void special_add(mpi_handle request, const struct special *special)
{
	int saved = errno;
	struct special *own = malloc(sizeof(*own));

	request = handle_key(request);
	if (own && request != tacho_abi.request_null) {
		*own = *special;
		map_set(&specials, request, (uintptr_t)own);
		atomic_fetch_add(&tacho_specials, 1);
	} else {
		free(own);
	}
	errno = saved;
}

/* Nobody else may use a request that is being freed, so its entry can go too. */
static void special_remove(mpi_handle request, struct special *special)
{
	int saved = errno;

	map_set(&specials, handle_key(request), 0);
	atomic_fetch_sub(&tacho_specials, 1);
	free(special);
	errno = saved;
}

static uint32_t number_of(mpi_handle request)
{
	return request_number(handle_key(request));
}

void request_keep_message(mpi_handle request, unsigned region, const struct mpi_comm *comm,
	int peer, int tag, uint64_t bytes)
{
	special_add(request,
		&(struct special){ .region = (uint16_t)region,
			.comm = comm->id,
			.words = { spool_pair((uint32_t)peer_number(peer), (uint32_t)tag), bytes,
				number_of(request) } });
}

void request_keep_collective(mpi_handle request, unsigned region, const struct mpi_comm *comm,
	struct volume volume, int32_t root)
{
	special_add(request,
		&(struct special){ .region = (uint16_t)region,
			.comm = comm->id,
			.plan = comm_plan(comm),
			.words = { volume.sent, volume.received,
				spool_pair((uint32_t)root, number_of(request)) } });
}

void request_keep_idup(mpi_handle request, const void *newcomm, const struct creation *creation)
{
	special_add(request,
		&(struct special){ .region = REGION_MPI_Comm_idup,
			.active = 1,
			.newcomm = newcomm,
			.creation = *creation });
}

void request_start(mpi_handle request)
{
	struct special *special = special_find(request);

	if (special)
		atomic_store(&special->active, 1);
}

void request_record_start(struct span *span, mpi_handle request)
{
	struct special *special = special_find(request);
	uint64_t words[4];

	if (!special)
		return;
	memcpy(words, special->words, sizeof(special->words));
	if (special->plan)
		words[3] = spool_pair(atomic_fetch_add(&special->starts, 1), special->plan);
	span_record(span->self, SPOOL_STARTED, special->region, special->comm, words,
		special->plan ? 4 : 3);
}

bool request_complete_special(mpi_handle request)
{
	struct special *special = special_find(request);

	if (!special)
		return true;
	if (special->newcomm) {
		comm_define(handle_at(special->newcomm, 0), &special->creation);
		special_remove(request, special);
		return true;
	}
	return atomic_exchange(&special->active, 0);
}

bool request_forget(mpi_handle request)
{
	struct special *special = special_find(request);
	bool was_active = !special || special->active;

	if (special)
		special_remove(request, special);
	return was_active;
}
