/*
 * ended_threads.c - see ended_threads.h. As with children (ended.c), a thread is in the sums or has
 * its files, whenever the process is killed: the sums name the last thread added.
 */
#include "config.h"

#include <stdio.h>

#include "core/ended_sums.h"
#include "core/ended_threads.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/totals.h"

static const struct spool_folder own = { 0, PLACE_OWN };

static struct {
	_Atomic bool is_busy;  /* a thread is at it; the others belong to that one */
	bool is_made, is_off;  /* the spool of the sums; it cannot be made */
	uint32_t number;       /* of that spool */
	struct totals *totals; /* mapped */
	struct totals_sums *room;
} ended;

bool ended_threads_begin(void)
{
	return !atomic_exchange(&ended.is_busy, true);
}

void ended_threads_end(void)
{
	atomic_store(&ended.is_busy, false);
}

void ended_threads_forked(void)
{
	if (ended.totals)
		sys_munmap(ended.totals, TOTALS_SIZE);
	ended.totals = NULL;
	ended.is_made = ended.is_off = ended.is_busy = false;
}

static void file_remove(const char *kind, uint32_t number)
{
	char name[32];

	snprintf(name, sizeof(name), "%s.%u", kind, number);
	process_file_remove(name);
}

/* The spool of the sums, which begins empty, with the head of one that is to be added. */
static bool sums_make(uint32_t model)
{
	struct spool_head head;

	if (!ended.room && (ended.room = sys_map(sizeof(*ended.room), MAP_PRIVATE)) == MAP_FAILED)
		ended.room = NULL;
	ended.number = atomic_fetch_add(&tacho_process.nthreads, 1);
	ended.is_made = ended.room && ended_head_read(&own, model, &head) && head.slot_size &&
		ended_spool_make(&own, ended.number, "ended threads", &head) &&
		(ended.totals = ended_totals_make(&own, ended.number));
	ended.is_off = !ended.is_made;
	return ended.is_made;
}

bool ended_thread_add(uint32_t number)
{
	uint64_t lost[LOSS_COUNT] = { 0 };
	struct totals_sums *to;
	uint32_t counts;

	if (ended.is_off || (!ended.is_made && !sums_make(number)))
		return false;
	counts = atomic_load(&ended.totals->counts);
	to = &ended.totals->sums[!counts];
	*to = ended.totals->sums[counts];
	if (!ended_spool_add(&own, number, to, ended.room, lost))
		return false;
	to->chunks++;
	to->threads++;
	to->last_k = number;
	atomic_store(&ended.totals->counts, !counts);
	ended_lost_add(&own, ended.number, lost);
	file_remove("thread", number);
	file_remove("totals", number);
	file_remove("kept", number);
	file_remove("profile", number);
	return true;
}
