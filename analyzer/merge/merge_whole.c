/* merge_whole.c - see merge_whole.h. The records are summed by the collector's own code. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/containers.h"
#include "base/log.h"
#include "base/par.h"
#include "core/handle.h"
#include "core/totals.h"
#include "merge/merge_whole.h"

#define SUMS_WORDS (sizeof(struct totals_sums) / 8)
#define LIST_LEAST 64u		       /* steps and phases */
#define SOON_BYTES (UINT64_C(1) << 30) /* for each core: half a minute of merge and analysis */
#define DROP_BYTES (16u << 20)
#define DROP_PAGE  (64u << 10) /* no page is larger */

/* A thread on its way into its sums. */
struct whole_thread {
	struct spool_thread *thread;
	struct process *process;
	struct spool_cursor cursor;
	struct totals_sums *sums;
	struct totals_list list;
	ARRAY_OF(const uint64_t *) inner; /* records of the outermost call that is yet to come */
	size_t first_piece;		  /* that has the first of them */
	struct spool_kept init;		  /* nothing where `at` is NULL */
	const char *dropped;		  /* memory before it is given back */
	const uint64_t *tail; /* what stays in detail, from there on; NULL: nothing does */
	bool is_refused;
};

/* Whose handles collector/core/totals.c asks for. */
static _Thread_local const struct spool_process *summed;

bool handle_has_peer(uint32_t number)
{
	unsigned kind = summed && number < summed->handles.n ? summed->handles.at[number].def.kind
							     : 0;

	return kind == HANDLE_PIPE || kind == HANDLE_SOCKET || kind == HANDLE_EVENT;
}

/* What takes the sums from `from` to `to`. Returns how many. */
static uint32_t changes_make(const struct totals_sums *from, const struct totals_sums *to,
	struct kept_change *out)
{
	const uint64_t *a = (const uint64_t *)(const void *)from,
		       *b = (const uint64_t *)(const void *)to;
	uint32_t n = 0;

	for (uint64_t i = 0; i < SUMS_WORDS; i++)
		if (a[i] != b[i])
			out[n++] = (struct kept_change){ i, b[i] };
	return n;
}

/* Room in the list for all markers that a record can end. */
static bool list_grow(struct whole_thread *w)
{
	uint64_t wanted = totals_room(w->sums->spans + TOTALS_MARKS + 1);
	struct totals_span *grown;

	if (wanted <= w->list.room)
		return true;
	wanted = 2 * wanted + LIST_LEAST;
	grown = realloc(w->list.at, wanted * sizeof(*grown));
	if (!grown)
		return false;
	w->list = (struct totals_list){ grown, wanted };
	return true;
}

/* The list takes no more room than its steps. */
static void list_trim(struct whole_thread *w)
{
	struct totals_span *trimmed = realloc(w->list.at, (w->sums->spans + 1) * sizeof(*trimmed));

	if (trimmed)
		w->list.at = trimmed;
}

static bool add(struct whole_thread *w, const uint64_t *rec)
{
	if (!list_grow(w))
		return false;
	totals_add(w->sums, &w->list, rec, 8 * spool_words(rec[2]));
	return true;
}

/* The group whose last record that is. */
static bool group_add(struct whole_thread *w, const uint64_t *rec)
{
	for (size_t i = 0; i < w->inner.n; i++)
		if (!add(w, w->inner.at[i]))
			return false;
	w->inner.n = 0;
	return add(w, rec);
}

static uint64_t *record_copy(uint64_t *to, const uint64_t *rec)
{
	size_t n = spool_words(rec[2]);

	memcpy(to, rec, 8 * n);
	return to + n;
}

/* The records of the group whose last one that is: `*n` words. NULL without memory. */
static uint64_t *group_copy(const struct whole_thread *w, const uint64_t *rec, size_t *n)
{
	uint64_t *records, *to;

	*n = spool_words(rec[2]);
	for (size_t i = 0; i < w->inner.n; i++)
		*n += spool_words(w->inner.at[i][2]);
	records = to = malloc(8 * *n);
	for (size_t i = 0; to && i < w->inner.n; i++)
		to = record_copy(to, w->inner.at[i]);
	if (to)
		record_copy(to, rec);
	return records;
}

/* What takes no sums to `before`, and those to the present ones, and then the records. */
static bool init_keep(struct whole_thread *w, const struct totals_sums *before,
	const uint64_t *records, size_t n)
{
	struct totals_sums *none = calloc(1, sizeof(*none));
	struct kept_change *changes = malloc(2 * SUMS_WORDS * sizeof(*changes));
	struct kept_entry entry = { .nth = before->records };
	size_t size;
	char *copy = NULL;

	if (none && changes) {
		entry.before = changes_make(none, before, changes);
		entry.after = changes_make(before, w->sums, changes + entry.before);
		size = ((size_t)entry.before + entry.after) * sizeof(*changes);
		copy = malloc(size + 8 * n);
	}
	if (copy) {
		memcpy(copy, changes, size);
		memcpy(copy + size, records, 8 * n);
		w->init = (struct spool_kept){ .entry = entry,
			.changes = (const struct kept_change *)(const void *)copy,
			.at = (const uint64_t *)(const void *)(copy + size),
			.end = (const uint64_t *)(const void *)(copy + size + 8 * n),
			.copy = copy };
	}
	free(changes);
	free(none);
	return copy != NULL;
}

/* MPI_Init stays in detail: where it ends the program's own time begins. */
static bool init_add(struct whole_thread *w, const uint64_t *rec)
{
	struct totals_sums *before = malloc(sizeof(*before));
	size_t n;
	uint64_t *records = group_copy(w, rec, &n);
	bool is_added = before && records;

	if (is_added) {
		*before = *w->sums;
		is_added = group_add(w, rec) && init_keep(w, before, records, n);
	}
	free(records);
	free(before);
	return is_added;
}

static bool is_init(unsigned region)
{
	return region == REGION_MPI_Init || region == REGION_MPI_Init_thread;
}

/* Of an outermost record. False without memory. */
static bool outer_take(struct whole_thread *w, const uint64_t *rec)
{
	unsigned type = spool_type(rec[0]), region = type < SPOOL_BEGIN ? spool_region(rec[0]) : 0;
	size_t piece = (size_t)(w->cursor.piece - w->thread->pieces);

	if (type == SPOOL_THREAD_END || region == REGION_MPI_Finalize) {
		w->tail = w->inner.n ? w->inner.at[0] : rec;
		if (!w->inner.n)
			w->first_piece = piece;
		return true;
	}
	if (is_init(region) && !w->init.at)
		return init_add(w, rec);
	return group_add(w, rec);
}

static bool record_take(struct whole_thread *w, const uint64_t *rec)
{
	unsigned type = spool_type(rec[0]);
	const uint64_t **inner;

	if (type == SPOOL_CLOCK)
		return process_clock_add(w->process, rec) == 0;
	if (type == SPOOL_GAP)
		w->is_refused = true;
	if (!spool_depth(rec[0]) && type != SPOOL_DONE_MORE && type != SPOOL_STARTED)
		return outer_take(w, rec);
	if (!w->inner.n)
		w->first_piece = (size_t)(w->cursor.piece - w->thread->pieces);
	inner = ARRAY_ADD(&w->inner);
	if (inner)
		*inner = rec;
	return inner != NULL;
}

/* Gives back the memory of records that have been summed, so that a spool of any length needs little. */
static void behind_drop(struct whole_thread *w)
{
	const struct spool_piece *piece = w->cursor.piece;
	const char *begin = (const char *)piece->at, *at = (const char *)w->cursor.at;

	if (w->dropped < begin || w->dropped > (const char *)piece->end)
		w->dropped = begin + (-(uintptr_t)begin & (DROP_PAGE - 1));
	if (at < w->dropped + DROP_BYTES)
		return;
	madvise((char *)(uintptr_t)w->dropped, DROP_BYTES, MADV_DONTNEED);
	w->dropped += DROP_BYTES;
}

/* Clock pairs, which begin chunks, of those from `first` on. */
static bool clocks_take(struct whole_thread *w, size_t first, size_t behind)
{
	for (size_t i = first; i < behind; i++)
		if (process_clock_add(w->process, w->thread->pieces[i].at) < 0)
			return false;
	return true;
}

/* The chunks from `first` on, the first of which are in the profile. */
static size_t profiled_chunks(const struct spool_thread *thread, const struct totals_sums *sums)
{
	size_t i = thread->nkept;

	while (i < thread->npieces && thread->pieces[i].number < sums->chunks)
		i++;
	return i;
}

static bool has_init(const struct totals_sums *sums)
{
	for (int i = 0; i < TOTALS_CALLS; i++)
		if (is_init(sums->calls[i].region))
			return true;
	return false;
}

/*
 * Begins with the thread's profile, if it has one: the chunks there are read as far as MPI_Init,
 * which stays in detail. `*first` is the chunk after them. False without memory.
 */
static bool profile_take(struct whole_thread *w, size_t *first)
{
	const struct totals_span *spans;
	struct totals_sums *sums = spool_profile(w->thread, &spans);
	size_t behind = sums ? profiled_chunks(w->thread, sums) : *first, begun = *first;
	const uint64_t *rec;
	bool is_taken = true;

	if (behind == *first) {
		free(sums);
		return true;
	}
	spool_cursor_turn(&w->cursor, w->thread, *first, behind);
	while (is_taken && has_init(sums) && !w->init.at && (rec = spool_next(&w->cursor))) {
		begun = (size_t)(w->cursor.piece - w->thread->pieces) + 1;
		is_taken = record_take(w, rec);
	}
	is_taken = is_taken && clocks_take(w, begun, behind);
	free(w->sums);
	w->sums = sums;
	w->inner.n = 0;
	w->tail = NULL;
	*first = behind;
	if (!is_taken || !list_grow(w))
		return false;
	if (sums->spans)
		memcpy(w->list.at, spans, sums->spans * sizeof(*w->list.at));
	return true;
}

/* All records but those that stay. False without memory. */
static bool records_take(struct whole_thread *w)
{
	size_t first = w->thread->nkept;
	const uint64_t *rec;

	spool_cursor_start(&w->cursor, w->thread);
	if (!profile_take(w, &first))
		return false;
	spool_cursor_turn(&w->cursor, w->thread, first, w->thread->npieces);
	while (!w->tail && !w->is_refused && (rec = spool_next(&w->cursor))) {
		if (!record_take(w, rec))
			return false;
		behind_drop(w);
	}
	w->is_refused |= w->cursor.torn || w->cursor.is_truncated;
	if (!w->tail && w->inner.n)
		w->tail = w->inner.at[0]; /* in a call that has not ended */
	return true;
}

/* The thread's sums so far, or none. False without memory. */
static bool sums_begin(struct whole_thread *w)
{
	const struct spool_thread *thread = w->thread;

	w->sums = calloc(1, sizeof(*w->sums));
	if (!w->sums)
		return false;
	if (thread->sums)
		*w->sums = *thread->sums;
	if (!list_grow(w))
		return false;
	if (w->sums->spans)
		memcpy(w->list.at, thread->spans, w->sums->spans * sizeof(*w->list.at));
	return true;
}

/* What stays in detail: MPI_Init between two stretches, and the tail. False without memory. */
static bool pieces_set(struct whole_thread *w)
{
	struct spool_thread *thread = w->thread;
	size_t ntail = w->tail ? thread->npieces - w->first_piece : 0, n = 0;
	struct spool_piece *pieces = calloc(ntail + 2, sizeof(*pieces));
	struct spool_kept *kept = w->init.at ? calloc(1, sizeof(*kept)) : NULL;

	if (!pieces || (w->init.at && !kept)) {
		free(pieces);
		free(kept);
		return false;
	}
	if (kept) {
		*kept = w->init;
		pieces[n++] = (struct spool_piece){ kept->at, kept->end, 0, true };
	}
	for (size_t i = 0; i < ntail; i++)
		pieces[n++] = thread->pieces[w->first_piece + i];
	if (ntail)
		pieces[kept ? 1 : 0].at = w->tail;
	for (uint32_t i = 0; i < thread->nkept; i++)
		free(thread->kept[i].copy);
	free(thread->kept);
	free(thread->pieces);
	thread->kept = kept;
	thread->nkept = kept ? 1 : 0;
	thread->pieces = pieces;
	thread->npieces = n;
	return true;
}

static bool whole_end(struct whole_thread *w)
{
	struct spool_thread *thread = w->thread;
	uint64_t left = thread->sums ? spool_left_out(thread->sums) : 0;
	struct totals_sums *before = thread->sums;

	if (!w->sums->chunks)
		w->sums->chunks = 1;
	thread->sums = w->sums;
	if (!w->sums->records || !spool_sums_are_sane(thread, w->sums)) {
		thread->sums = before;
		return true;
	}
	if (!pieces_set(w)) {
		thread->sums = before;
		return false;
	}
	thread->lost[LOSS_LIMIT] += spool_left_out(w->sums) - left;
	list_trim(w);
	thread->spans = thread->list = w->list.at;
	free(before);
	w->sums = NULL;
	w->list.at = NULL;
	w->init.copy = NULL;
	return spool_sums_pack(thread);
}

static int thread_sum(struct process *process, struct spool_thread *thread)
{
	struct whole_thread w = { .thread = thread, .process = process };
	bool is_done = sums_begin(&w) && records_take(&w) && (w.is_refused || whole_end(&w));

	free(w.sums);
	free(w.list.at);
	free(w.inner.at);
	free(w.init.copy);
	if (!is_done)
		log_error("out of memory");
	return is_done ? 0 : -1;
}

/* Of records, all or those of devices. */
static uint64_t records_bytes(const struct merge *m, bool is_gpu)
{
	uint64_t words = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct spool_process *process = m->processes[i].spool;

		for (unsigned k = 0; k < process->nthreads; k++) {
			const struct spool_thread *thread = process->threads[k];

			if (is_gpu && thread->head.kind != SPOOL_KIND_GPU)
				continue;
			for (size_t n = 0; n < thread->npieces; n++)
				words += (size_t)(thread->pieces[n].end - thread->pieces[n].at);
		}
	}
	return 8 * words;
}

void whole_choose(struct merge *m, int jobs)
{
	uint64_t bytes = records_bytes(m, false);
	bool is_much = m->options->is_first && !records_bytes(m, true) &&
		bytes / (uint64_t)par_size() / (uint64_t)jobs >= SOON_BYTES;

	/* all as the first of them has it: cores may differ */
	if (par_any_failed(par_rank() == 0 && (m->options->totals || is_much) ? -1 : 0))
		m->summed = bytes ? bytes : 1;
}

int whole_sum(struct process *process)
{
	int ret = 0;

	if (process->spool->captures.n)
		return 0;
	summed = process->spool;
	for (unsigned i = 0; i < process->nlocations && ret == 0; i++)
		if (!location_is_sampler(&process->locations[i]))
			ret = thread_sum(process, process->locations[i].thread);
	summed = NULL;
	return ret;
}
