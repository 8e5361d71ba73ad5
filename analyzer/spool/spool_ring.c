/* spool_ring.c - spools of bounded size: the order of their chunks, and their totals (tacho/totals.h). */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "spool/spool_in.h"

#define NUMBER_WORD 5 /* of the SPOOL_CLOCK that begins a chunk */

static int compare_pieces(const void *a, const void *b)
{
	const struct spool_piece *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Adds the chunk at an offset of the file, if its records are not in the sums. */
static void piece_add(struct spool_thread *thread, size_t offset, size_t size)
{
	const uint64_t *at = (const uint64_t *)((const char *)thread->map + offset);
	uint64_t number;

	if (offset >= thread->map_size)
		return;
	if (size > thread->map_size - offset)
		size = thread->map_size - offset;
	if (size / 8 <= NUMBER_WORD || spool_type(at[0]) != SPOOL_CLOCK ||
		spool_words(at[2]) <= NUMBER_WORD)
		return;
	number = at[NUMBER_WORD];
	if (thread->sums && number < thread->sums->chunks)
		return;
	thread->pieces[thread->npieces++] = (struct spool_piece){ at, at + size / 8, number,
		false };
}

/* The name of a file next to a spool's, of its number. False: it is none. */
static bool beside(const char *path, const char *name, char *out, size_t size)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	return slash && dot > slash &&
		snprintf(out, size, "%.*s/%s%s", (int)(slash - path), path, name, dot) < (int)size;
}

static bool sums_are_sane(const struct spool_thread *thread, const struct totals_sums *sums,
	uint64_t room)
{
	if (!sums->chunks || sums->chunks > COUNT_MOST || sums->records > COUNT_MOST ||
		sums->children > COUNT_MOST || sums->threads > COUNT_MOST ||
		sums->nmarks > TOTALS_MARKS || sums->spans > room || sums->first > sums->last ||
		(sums->records && sums->last > thread->process->latest))
		return false;
	for (uint32_t i = 0; i < sums->nmarks; i++)
		if (sums->marks[i].kind < SPOOL_MARK_REGION ||
			sums->marks[i].kind > SPOOL_MARK_STEP)
			return false;
	for (int i = 0; i < TOTALS_REQUESTS; i++)
		if (sums->requests[i].number &&
			(!sums->requests[i].region || sums->requests[i].region >= REGION_COUNT))
			return false;
	return spool_calls_are_sane(thread, sums);
}

static bool spans_are_sane(const struct totals_sums *sums, const struct totals_span *spans)
{
	for (uint64_t i = 0; i < sums->spans; i++)
		if (spans[i].mark.begin > spans[i].end || spans[i].end > sums->last ||
			spans[i].mark.kind < SPOOL_MARK_PHASE ||
			spans[i].mark.kind > SPOOL_MARK_STEP)
			return false;
	return true;
}

/* The list behind the sums. */
static const struct totals_span *spans_of(const struct totals *totals)
{
	return (const struct totals_span *)((const char *)totals + TOTALS_SIZE);
}

/* Steps, and kinds of calls beyond some hundreds. */
uint64_t spool_left_out(const struct totals_sums *sums)
{
	uint64_t left = sums->spans_left + sums->calls_left;

	return left <= COUNT_MOST ? left : 0;
}

/*
 * The sums that count in a mapped file, a copy of them: the process may be writing. NULL in `out`
 * where there are none. False: they cannot be believed, or memory is out (`is_out`).
 */
static bool sums_take(const struct spool_thread *thread, const struct totals *totals, size_t size,
	struct totals_sums **out, bool *is_out)
{
	uint32_t counts;

	*out = NULL;
	*is_out = false;
	if (!totals || size < TOTALS_SIZE ||
		memcmp(totals->magic, TOTALS_MAGIC, sizeof(totals->magic)) != 0)
		return true; /* not yet made */
	counts = atomic_load_explicit(&totals->counts, memory_order_acquire);
	if (totals->version != SPOOL_VERSION || totals->nregions != REGION_COUNT ||
		totals->size != sizeof(*totals) || counts > 1)
		return false;
	if (!totals->sums[counts].chunks)
		return true;
	*out = malloc(sizeof(**out));
	if (!*out) {
		log_error("out of memory");
		*is_out = true;
		return false;
	}
	**out = totals->sums[counts];
	if (sums_are_sane(thread, *out, (size - TOTALS_SIZE) / sizeof(struct totals_span)) &&
		spans_are_sane(*out, spans_of(totals)))
		return true;
	free(*out);
	*out = NULL;
	return false;
}

/* What cannot be believed is a loss. */
static int totals_read(struct spool_thread *thread, const char *path)
{
	char file[4096];
	bool is_out;

	if (!beside(path, "totals", file, sizeof(file)))
		return 0;
	thread->totals = spool_map(file, &thread->totals_size);
	if (sums_take(thread, thread->totals, thread->totals_size, &thread->sums, &is_out)) {
		if (thread->sums) {
			thread->spans = spans_of(thread->totals);
			thread->lost[LOSS_LIMIT] += spool_left_out(thread->sums);
		}
		return 0;
	}
	if (is_out)
		return -1;
	thread->lost[LOSS_TORN]++;
	log_warn("%s is damaged: its totals are not in the trace", file);
	return 0;
}

struct totals_sums *spool_profile(const struct spool_thread *thread,
	const struct totals_span **spans)
{
	struct totals_sums *sums;
	bool is_out;

	for (int i = 0; i < LOSS_COUNT; i++)
		if (thread->head.lost[i])
			return NULL;
	if (thread->copy ||
		!sums_take(thread, thread->profile, thread->profile_size, &sums, &is_out) || !sums)
		return NULL;
	*spans = spans_of(thread->profile);
	return sums;
}

static int summed_read(struct spool_thread *thread, const char *path)
{
	char file[4096];

	if (totals_read(thread, path) < 0)
		return -1;
	if (thread->map_size >= TOTALS_PROFILE_FROM && beside(path, "profile", file, sizeof(file)))
		thread->profile = spool_map(file, &thread->profile_size);
	return thread->head.kind != SPOOL_KIND_GPU && beside(path, "kept", file, sizeof(file))
		? spool_kept_read(thread, file)
		: 0;
}

static void kept_pieces_add(struct spool_thread *thread)
{
	for (uint32_t i = 0; i < thread->nkept; i++)
		thread->pieces[thread->npieces++] = (struct spool_piece){ thread->kept[i].at,
			thread->kept[i].end, thread->kept[i].entry.chunk - 1, true };
}

int spool_pieces_read(struct spool_thread *thread, const char *path)
{
	size_t first = thread->head.first_size, slot = thread->head.slot_size, n = 1, size;

	if (slot && (slot % 4096 || first % 4096 || first > thread->map_size)) {
		thread->lost[LOSS_TORN]++;
		slot = 0;
	}
	if (slot && summed_read(thread, path) < 0)
		return -1;
	n += thread->nkept;
	if (slot)
		n += (thread->map_size - SPOOL_HEAD_SIZE) / totals_slot_size((uint32_t)slot, 0) + 1;
	thread->pieces = calloc(n, sizeof(*thread->pieces));
	if (!thread->pieces) {
		log_error("out of memory");
		return -1;
	}
	if (!slot) {
		thread->pieces[thread->npieces++] = (struct spool_piece){
			(const uint64_t *)((char *)thread->map + SPOOL_HEAD_SIZE),
			(const uint64_t *)((char *)thread->map + thread->map_size / 8 * 8), 0, false
		};
		return 0;
	}
	kept_pieces_add(thread);
	piece_add(thread, SPOOL_HEAD_SIZE, first);
	for (size_t i = 0, at = SPOOL_HEAD_SIZE + first; at < thread->map_size; i++, at += size) {
		size = totals_slot_size((uint32_t)slot, (uint32_t)i);
		piece_add(thread, at, size);
	}
	qsort(thread->pieces + thread->nkept, thread->npieces - thread->nkept,
		sizeof(*thread->pieces), compare_pieces);
	return 0;
}

/* Those of the totals go, and those after a hole: the process has written over it meanwhile. */
static void pieces_check(struct spool_thread *thread)
{
	uint64_t next = thread->sums ? thread->sums->chunks : 0;
	size_t kept = thread->nkept;

	for (size_t i = kept; i < thread->npieces; i++) {
		struct spool_piece *piece = &thread->pieces[i];

		if (piece->number < next || piece->at == piece->end)
			continue;
		if (piece->number > next || piece->at[0] == 0)
			break;
		thread->pieces[kept++] = *piece;
		next++;
	}
	thread->npieces = kept;
}

/* Copies the chunks kept in detail, and leaves out those given up since. */
static void kept_freeze(struct spool_thread *thread)
{
	size_t had = thread->nkept, chunks = thread->npieces - had;

	spool_kept_freeze(thread);
	memmove(thread->pieces + thread->nkept, thread->pieces + had,
		chunks * sizeof(*thread->pieces));
	thread->npieces = 0;
	kept_pieces_add(thread);
	thread->npieces += chunks;
}

void spool_pieces_freeze(struct spool_thread *thread)
{
	size_t words = 0;
	uint64_t *to;

	kept_freeze(thread);
	for (size_t i = thread->nkept; i < thread->npieces; i++)
		words += (size_t)(thread->pieces[i].end - thread->pieces[i].at);
	if (!thread->head.slot_size || thread->copy || !(thread->copy = malloc(8 * words + 8)))
		return;
	to = thread->copy;
	for (size_t i = thread->nkept; i < thread->npieces; i++) {
		struct spool_piece *piece = &thread->pieces[i];
		size_t n = (size_t)(piece->end - piece->at);

		memcpy(to, piece->at, 8 * n);
		piece->at = to;
		piece->end = to += n;
	}
	if (thread->sums) {
		const struct totals *totals = thread->totals;
		uint32_t counts = atomic_load_explicit(&totals->counts, memory_order_acquire) & 1;
		uint64_t room = (thread->totals_size - TOTALS_SIZE) / sizeof(struct totals_span);

		*thread->sums = totals->sums[counts];
		if (thread->sums->spans > room) /* the list has grown since it was mapped */
			thread->sums->spans = room;
	}
	pieces_check(thread);
}

void spool_pieces_free(struct spool_thread *thread)
{
	free(thread->copy);
	spool_kept_free(thread);
	if (thread->totals)
		munmap(thread->totals, thread->totals_size);
	if (thread->profile)
		munmap(thread->profile, thread->profile_size);
	free(thread->sums);
	free(thread->packed);
	free(thread->list);
	free(thread->pieces);
}
