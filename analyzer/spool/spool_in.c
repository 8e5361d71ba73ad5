/* spool_in.c - spools of threads, their records one after the other; see spool_in.h. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rundir.h"
#include "spool/spool_in.h"

#define UNBORN_MOST (64u << 10) /* bytes; more than the head and the first chunk of a spool */

bool spool_table_reserve(void **at, uint32_t *n, uint32_t id, size_t size)
{
	uint32_t want = *n ? *n : 2;
	void *grown;

	if (id < *n)
		return true;
	while (want <= id)
		want *= 2;
	grown = realloc(*at, want * size);
	if (!grown) {
		log_error("out of memory");
		return false;
	}
	memset((char *)grown + *n * size, 0, (want - *n) * size);
	*at = grown;
	*n = want;
	return true;
}

/* Words that a record of each type has at least; 0 = no such type. */
static const uint8_t least_words[SPOOL_TYPE_COUNT] = {
	[SPOOL_CALL] = 3,
	[SPOOL_IO] = 4,
	[SPOOL_IO_LONG] = 5,
	[SPOOL_IO_PLAIN] = 4,
	[SPOOL_SYNC] = 4,
	[SPOOL_P2P] = 5,
	[SPOOL_P2P_LONG] = 6,
	[SPOOL_SENDRECV] = 7,
	[SPOOL_COLL] = 4,
	[SPOOL_COLL_FULL] = 6,
	[SPOOL_DONE] = 3,
	[SPOOL_DONE_MORE] = 3,
	[SPOOL_RMA] = 5,
	[SPOOL_BEGIN] = 4,
	[SPOOL_END] = 4,
	[SPOOL_CLOCK] = 5,
	[SPOOL_THREAD_END] = 4,
	[SPOOL_GAP] = 3,
	[SPOOL_DONE_SHORT] = 3,
	[SPOOL_STARTED] = 6,
	[SPOOL_SAMPLE] = 4,
	[SPOOL_FOLD] = 3 + SPOOL_FOLD_WORDS,
	[SPOOL_CUDA] = 4,
	[SPOOL_NCCL] = 6,
	[SPOOL_NCCL_PLAN] = 4,
	[SPOOL_GRAPH] = 5,
	[SPOOL_KERNEL] = 7,
	[SPOOL_COPY] = 7,
	[SPOOL_GPU_SYNC] = 6,
	[SPOOL_OVERHEAD] = 4,
	[SPOOL_BRIEF] = 4,
	[SPOOL_LAUNCH] = 4,
};

void spool_cursor_start(struct spool_cursor *cursor, const struct spool_thread *thread)
{
	*cursor = (struct spool_cursor){
		.at = thread->npieces ? thread->pieces[0].at : NULL,
		.end = thread->npieces ? thread->pieces[0].end : NULL,
		.piece = thread->pieces,
		.behind = thread->pieces + thread->npieces,
		.latest = thread->process->latest,
		.cut = thread->cut,
		.is_frozen = thread->is_frozen,
		.is_gpu = thread->head.kind == SPOOL_KIND_GPU,
	};
}

void spool_cursor_turn(struct spool_cursor *cursor, const struct spool_thread *thread, size_t first,
	size_t behind)
{
	cursor->piece = thread->pieces + first;
	cursor->behind = thread->pieces + behind;
	cursor->at = cursor->end = NULL;
	cursor->brief = (struct brief){ 0 };
	if (first < behind) {
		cursor->at = cursor->piece->at;
		cursor->end = cursor->piece->end;
	}
}

/* Words of a record that count bytes, or samples. No call moves more than the address space of a process. */
static const struct {
	uint8_t first, second; /* 0: none */
} byte_words[SPOOL_TYPE_COUNT] = {
	[SPOOL_IO_LONG] = { 3, 0 },
	[SPOOL_IO_PLAIN] = { 3, 0 },
	[SPOOL_P2P_LONG] = { 4, 0 },
	[SPOOL_SENDRECV] = { 4, 6 },
	[SPOOL_COLL] = { 3, 0 },
	[SPOOL_COLL_FULL] = { 3, 4 },
	[SPOOL_RMA] = { 4, 5 },
	[SPOOL_STARTED] = { 4, 0 },
	[SPOOL_NCCL] = { 3, 0 },
	[SPOOL_COPY] = { 5, 0 },
	[SPOOL_END] = { 3, 0 }, /* samples */
};

#define BYTES_MOST (UINT64_C(1) << 47)

static bool bytes_are_possible(const uint64_t *rec, unsigned type)
{
	unsigned first = byte_words[type].first, second = byte_words[type].second;

	if (type == SPOOL_RMA && ((int32_t)rec[3] < 0 || spool_words(rec[2]) <= second))
		second = 0; /* returns nothing */
	/* of a call that failed, and of MPI's buffers of several counts, -1 */
	return (!first || rec[first] <= BYTES_MOST || rec[first] == UINT64_MAX) &&
		(!second || rec[second] <= BYTES_MOST || rec[second] == UINT64_MAX);
}

/* True if the summed calls of a record are valid calls within its duration. */
static bool fold_is_sane(const uint64_t *rec, unsigned words)
{
	uint64_t ticks = 0;

	if (words > 3 + SPOOL_FOLD_KINDS * SPOOL_FOLD_WORDS || (words - 3) % SPOOL_FOLD_WORDS)
		return false;
	for (const uint64_t *kind = rec + 3; kind < rec + words; kind += SPOOL_FOLD_WORDS) {
		uint32_t region = fold_is_of(kind);

		if (!fold_calls(kind))
			continue;
		if (!region || region >= REGION_COUNT ||
			(fold_how(kind) > SPOOL_SYNC_HANGUP && !fold_has_moved(kind)) ||
			fold_ticks(kind) > spool_duration(rec[2]) - ticks)
			return false;
		ticks += fold_ticks(kind);
	}
	return true;
}

/* True if its calls are valid, and its first and last word are consistent with them. */
static bool brief_is_sane(const uint64_t *rec, unsigned words)
{
	struct brief calls = brief_of(rec);
	uint64_t call[4];

	calls.behind = rec + words;
	while (brief_next(&calls, call))
		if (!spool_region(call[0]) || spool_region(call[0]) >= REGION_COUNT ||
			spool_record_end(call) > spool_record_end(rec))
			return false;
	return !spool_depth(rec[0]) && (calls.at == calls.behind || !*calls.at);
}

/* True if the content of the record is possible; its length has been checked. */
static bool record_is_sane(const struct spool_cursor *cursor, const uint64_t *rec, unsigned words)
{
	unsigned type = spool_type(rec[0]), region = spool_region(rec[0]);
	uint64_t end = spool_record_end(rec);

	if (end < rec[1] || end > cursor->latest || !bytes_are_possible(rec, type) ||
		(cursor->is_gpu && type < SPOOL_KERNEL && type != SPOOL_CLOCK))
		return false;
	if (type == SPOOL_DONE || type == SPOOL_DONE_MORE)
		return region && region < REGION_COUNT && words >= 3 + 2ull * spool_a(rec[0]);
	if (type == SPOOL_DONE_SHORT)
		return region && region < REGION_COUNT && words >= 3 + (uint64_t)spool_a(rec[0]);
	if (type == SPOOL_FOLD)
		return region && region < REGION_COUNT && fold_is_sane(rec, words);
	if (type == SPOOL_BRIEF)
		return !cursor->is_gpu && brief_is_sane(rec, words);
	if (type == SPOOL_CLOCK || type == SPOOL_THREAD_END || type == SPOOL_GAP ||
		type == SPOOL_SAMPLE || type == SPOOL_NCCL_PLAN || type == SPOOL_GRAPH)
		return region < REGION_COUNT;
	if (type == SPOOL_LAUNCH)
		return cursor->is_gpu && region && region < REGION_COUNT;
	if (type >= SPOOL_KERNEL)
		return cursor->is_gpu && !region &&
			(type != SPOOL_COPY || (spool_a(rec[0]) & 0xff) != SPOOL_COPY_P2P ||
				words > 7);
	if (type == SPOOL_BEGIN || type == SPOOL_END)
		return region >= SPOOL_MARK_REGION && region <= SPOOL_MARK_STEP;
	return region && region < REGION_COUNT;
}

/* The next record of the piece, NULL at its end. */
static const uint64_t *piece_next(struct spool_cursor *cursor)
{
	while (cursor->at < cursor->end) {
		const uint64_t *rec = cursor->at;
		uint64_t w0 = __atomic_load_n(rec, __ATOMIC_ACQUIRE);
		size_t room = cursor->end - rec;
		unsigned type = spool_type(w0), words;

		if (w0 == 0)
			break;
		if (type == SPOOL_PAD) {
			size_t skip = spool_a(w0) / 8;

			if (!skip || spool_a(w0) % 8)
				goto torn;
			cursor->at = skip < room ? rec + skip : cursor->end;
			continue;
		}
		if (type >= SPOOL_TYPE_COUNT || !least_words[type] || room < 3)
			goto torn;
		words = spool_words(rec[2]);
		if (type == SPOOL_BRIEF && cursor->is_frozen && words > room)
			words = room; /* it has grown since */
		if (words < least_words[type] || words > SPOOL_MAX_WORDS || words > room)
			goto torn;
		cursor->at = rec + words;
		if (record_is_sane(cursor, rec, words))
			return rec;
		cursor->torn++;
	}
	cursor->at = cursor->end;
	return NULL;
torn:
	cursor->torn++;
	cursor->is_truncated = true;
	cursor->at = cursor->end;
	return NULL;
}

/* The next call of the SPOOL_BRIEF that was met last, NULL when there is none. */
static const uint64_t *brief_call_next(struct spool_cursor *cursor)
{
	while (brief_next(&cursor->brief, cursor->call))
		if (!cursor->cut || spool_record_end(cursor->call) <= cursor->cut)
			return cursor->call;
	return NULL;
}

/* The next record of the spool. */
static const uint64_t *record_next(struct spool_cursor *cursor)
{
	const uint64_t *rec = piece_next(cursor);

	while (!rec && cursor->piece < cursor->behind && ++cursor->piece < cursor->behind) {
		cursor->at = cursor->piece->at;
		cursor->end = cursor->piece->end;
		rec = piece_next(cursor);
	}
	return rec;
}

const uint64_t *spool_next(struct spool_cursor *cursor)
{
	const uint64_t *rec = brief_call_next(cursor);

	while (!rec && (rec = record_next(cursor)) && spool_type(rec[0]) == SPOOL_BRIEF) {
		cursor->brief = brief_of(rec);
		cursor->brief.behind = cursor->at;
		rec = brief_call_next(cursor);
	}
	return rec;
}

/* Whether a SPOOL_FOLD may yet be added to though that record follows. */
static bool record_leaves_open(const uint64_t *fold, const uint64_t *rec)
{
	return brief_is_passed(rec) && spool_record_end(rec) <= fold[1] + SPOOL_LATE_SPAN;
}

/* Behind the calls that a SPOOL_BRIEF has now. */
static const uint64_t *brief_end(const uint64_t *rec)
{
	struct brief calls = brief_of(rec);
	uint64_t call[4];

	while (brief_next(&calls, call))
		;
	return calls.at;
}

/* Leaves the last piece of the thread at its present end. */
static void thread_freeze(struct spool_thread *thread)
{
	struct spool_piece *last = thread->npieces ? &thread->pieces[thread->npieces - 1] : NULL;
	const uint64_t *at = last ? last->at : NULL, *end = last ? last->end : NULL, *grows = NULL,
		       *brief = NULL;

	while (at < end) {
		uint64_t w0 = __atomic_load_n(at, __ATOMIC_ACQUIRE);
		size_t room = end - at, words;

		if (!w0)
			break;
		words = spool_type(w0) == SPOOL_PAD ? spool_a(w0) / 8
			: room < 3		    ? 0
						    : spool_words(at[2]);
		if (!words)
			return; /* damaged: the walk reports it */
		brief = spool_type(w0) == SPOOL_BRIEF && words <= room ? at : NULL;
		grows = spool_type(w0) == SPOOL_FOLD			      ? at
			: grows && words > 2 && record_leaves_open(grows, at) ? grows
									      : NULL;
		at += words < room ? words : room;
	}
	if (!last)
		return;
	last->end = grows ? grows : brief ? brief_end(brief) : at;
	thread->is_frozen = true;
}

/* The record at `at` or after it that is no pad, `*next` behind it; NULL where there is none. */
static const uint64_t *record_at(const uint64_t *at, const uint64_t *end, const uint64_t **next)
{
	while (at < end && *at) {
		bool is_pad = spool_type(*at) == SPOOL_PAD;
		size_t room = (size_t)(end - at),
		       words = is_pad ? spool_a(*at) / 8
			: room < 3    ? 0
				      : spool_words(at[2]);

		if (!is_pad && spool_type(*at) == SPOOL_BRIEF && words > room)
			words = room; /* it has grown since the spool was frozen */
		if (!words || words > room)
			break;
		*next = at + words;
		if (!is_pad)
			return at;
		at += words;
	}
	return NULL;
}

/* For a record that ended later: notes its call if it was open at the instant. */
static void inside_note(struct spool_inside *inside, const uint64_t *rec, uint64_t at)
{
	unsigned depth = spool_depth(rec[0]), type = spool_type(rec[0]);

	if (rec[1] > at || depth >= SPOOL_MAX_DEPTH || inside[depth].region ||
		(type >= SPOOL_BEGIN && type != SPOOL_DONE_SHORT) || type == SPOOL_DONE_MORE)
		return;
	inside[depth].region = spool_region(rec[0]);
	inside[depth].start = rec[1];
}

/* The same of the calls of a SPOOL_BRIEF. */
static void inside_note_brief(struct spool_inside *inside, const uint64_t *rec,
	const uint64_t *behind, uint64_t at)
{
	struct brief calls = brief_of(rec);
	uint64_t call[4];

	calls.behind = behind;
	while (brief_next(&calls, call))
		if (spool_record_end(call) > at)
			inside_note(inside, call, at);
}

/* Restores the calls that the thread was in: some have ended since, the others are still open. */
static void inside_set(struct spool_thread *thread, const struct spool_inside *ended, uint64_t at)
{
	struct spool_inside *inside = thread->head.inside;
	bool is_out = false;

	for (int i = 0; i < SPOOL_MAX_DEPTH; i++) {
		if (ended[i].region)
			inside[i] = ended[i];
		is_out |= !inside[i].region || inside[i].start > at;
		if (is_out)
			inside[i] = (struct spool_inside){ 0 };
	}
}

/* Leaves out records that ended after the instant. GPU activities are unsorted. */
static void thread_cut(struct spool_thread *thread, uint64_t at)
{
	struct spool_inside ended[SPOOL_MAX_DEPTH] = { 0 };
	size_t npieces = thread->npieces;
	bool is_cut = false;

	if (thread->head.kind == SPOOL_KIND_GPU || (thread->sums && thread->sums->last > at))
		return;
	for (size_t i = 0; i < thread->npieces; i++) {
		struct spool_piece *piece = &thread->pieces[i];
		const uint64_t *next = piece->at, *end = piece->end, *rec;

		while ((rec = record_at(next, end, &next))) {
			bool is_brief = spool_type(rec[0]) == SPOOL_BRIEF;

			if (spool_record_end(rec) <= at)
				continue;
			if (!is_cut) {
				piece->end = is_brief ? next : rec;
				npieces = i + 1;
				is_cut = true;
			}
			if (is_brief)
				inside_note_brief(ended, rec, next, at);
			else
				inside_note(ended, rec, at);
		}
	}
	thread->npieces = npieces;
	thread->cut = at;
	inside_set(thread, ended, at);
}

void spool_process_freeze(struct spool_process *process, uint64_t at)
{
	bool is_cut = at > process->def.start.ticks && !process->ended;

	for (unsigned i = 0; i < process->nthreads; i++) {
		thread_freeze(process->threads[i]); /* first: no record grows while it is copied */
		spool_pieces_freeze(process->threads[i]);
		if (is_cut)
			thread_cut(process->threads[i], at);
	}
	if (is_cut)
		process->heartbeat = at;
}

/* A process that ends while it makes a spool leaves one without a word in it: nothing is lost. */
static bool is_unborn(const struct spool_thread *thread, const char *path)
{
	const uint64_t *words = thread->map;
	struct stat st;

	if (!thread->map)
		return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
	if (thread->map_size > UNBORN_MOST)
		return false;
	for (size_t i = 0; i < thread->map_size / sizeof(*words); i++)
		if (words[i] && (i == 0 || i >= SPOOL_HEAD_SIZE / sizeof(*words)))
			return false;
	return true;
}

bool spool_head_take(struct spool_thread *thread, const struct spool_head *head)
{
	memcpy(&thread->head, head, sizeof(thread->head));
	if (memcmp(thread->head.magic, SPOOL_MAGIC, 8) != 0 ||
		thread->head.version != SPOOL_VERSION || thread->head.nregions != REGION_COUNT)
		return false;
	thread->head.name[sizeof(thread->head.name) - 1] = '\0';
	for (int i = 0; i < LOSS_COUNT; i++)
		if (thread->head.lost[i] <= LOST_MOST)
			thread->lost[i] += thread->head.lost[i];
		else
			thread->lost[LOSS_TORN]++;
	return true;
}

struct spool_thread *spool_thread_open(struct spool_process *process, const char *path,
	bool may_be_unborn)
{
	struct spool_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->process = process;
	thread->map = spool_map(path, &thread->map_size);
	if (!thread->map || thread->map_size < SPOOL_HEAD_SIZE)
		goto unusable;
	if (!spool_head_take(thread, thread->map))
		goto unusable;
	if (spool_pieces_read(thread, path) < 0)
		goto unusable;
	madvise(thread->map, thread->map_size, MADV_SEQUENTIAL);
	spool_thread_rest(thread);
	return thread;
unusable:
	if (!may_be_unborn || !is_unborn(thread, path)) {
		process->lost[LOSS_MISSING]++;
		log_warn(
			"%s is missing, empty or damaged: what this thread did is not in the trace",
			path);
	}
	if (thread->map)
		munmap(thread->map, thread->map_size);
	spool_pieces_free(thread);
	free(thread);
	return NULL;
}

void spool_thread_rest(const struct spool_thread *thread)
{
	madvise(thread->map, thread->map_size, MADV_DONTNEED);
	if (thread->kept_map)
		madvise(thread->kept_map, thread->kept_size, MADV_DONTNEED);
	if (thread->totals)
		madvise(thread->totals, thread->totals_size, MADV_DONTNEED);
}

void spool_thread_free(struct spool_thread *thread)
{
	munmap(thread->map, thread->map_size);
	spool_pieces_free(thread);
	free(thread);
}
