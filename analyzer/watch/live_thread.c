/*
 * live_thread.c - reads records added to a thread's spool; see live.h. A record counts with its
 * part inside the interval, so any position kept yields the same sums. The position is the first
 * record that ended after the interval, or that may still grow (SPOOL_FOLD). Bytes are copied
 * (pread), since a mapping would crash the reader if the file is truncated.
 */
#include "config.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "merge/walk/walk_regions.h"
#include "spool/spool_pack.h"
#include "tacho/brief.h"
#include "tacho/fold.h"
#include "tacho/totals.h"
#include "watch/live.h"

enum {
	LOOK = 16 << 10,	  /* bytes that are read first; most threads have added less */
	FIRST_CHUNKS = 1392640,	  /* bytes in which chunks of a spool still grow; see below */
	CHUNK = 2 << 20,	  /* all later ones */
	SKIPPED_LEAST = 16 << 20, /* spools larger than this are not read from the start */
	NUMBER_WORD = 5,	  /* of the SPOOL_CLOCK that begins a chunk of a bounded spool */
};

#define NO_CHUNK UINT64_MAX

static uint8_t states[REGION_COUNT];

void live_regions_init(void)
{
	regions_init();
	for (uint32_t region = 1; region < REGION_COUNT; region++)
		switch (region_class(region)) {
		case REGION_CLASS_MPI:
			states[region] = strncmp(region_infos[region].name, "MPI_File_", 9) == 0
				? HOST_IO
				: HOST_MPI;
			break;
		case REGION_CLASS_IO: states[region] = HOST_IO; break;
		case REGION_CLASS_WAIT: states[region] = HOST_WAIT; break;
		case REGION_CLASS_CUDA:
		case REGION_CLASS_NCCL: states[region] = HOST_CUDA; break;
		case REGION_CLASS_TORCH: states[region] = HOST_GLOO; break;
		case REGION_CLASS_NONE: break;
		}
}

static enum spool_handle_kind handle_kind(const struct live_process *process, uint32_t handle)
{
	return handle < process->handles.n ? (enum spool_handle_kind)process->handles.at[handle]
					   : HANDLE_OTHER;
}

/* Reading what another process or thread has to write first is waiting for it. */
enum host_state live_state(const struct live_process *process, uint32_t region, uint32_t handle)
{
	enum spool_handle_kind kind;

	if (region >= REGION_COUNT)
		return HOST_USEFUL;
	if (region_class(region) != REGION_CLASS_IO || region_infos[region].io != IO_OP_READ)
		return (enum host_state)states[region];
	kind = handle_kind(process, handle);
	return kind == HANDLE_PIPE || kind == HANDLE_SOCKET || kind == HANDLE_EVENT ? HOST_WAIT
										    : HOST_IO;
}

static uint64_t overlap(const struct live_process *process, uint64_t start, uint64_t end)
{
	start = start > process->since ? start : process->since;
	end = end < process->now ? end : process->now;
	return end > start ? end - start : 0;
}

static void fold_add(struct live_process *process, const uint64_t *rec)
{
	uint64_t length = spool_duration(rec[2]), part;

	part = overlap(process, rec[1], rec[1] + length);
	for (unsigned at = 3; length && at + SPOOL_FOLD_WORDS <= spool_words(rec[2]);
		at += SPOOL_FOLD_WORDS)
		process->state[live_state(process, fold_is_of(&rec[at]), (uint32_t)rec[at + 1])] +=
			(uint64_t)((double)fold_ticks(&rec[at]) * ((double)part / (double)length));
}

static bool is_call(unsigned type)
{
	switch (type) {
	case SPOOL_CALL:
	case SPOOL_IO:
	case SPOOL_IO_LONG:
	case SPOOL_IO_PLAIN:
	case SPOOL_SYNC:
	case SPOOL_P2P:
	case SPOOL_P2P_LONG:
	case SPOOL_SENDRECV:
	case SPOOL_COLL:
	case SPOOL_COLL_FULL:
	case SPOOL_DONE:
	case SPOOL_DONE_SHORT:
	case SPOOL_RMA:
	case SPOOL_CUDA:
	case SPOOL_NCCL: return true;
	default: return false;
	}
}

static void call_time_add(struct live_process *process, const uint64_t *rec)
{
	process->state[live_state(process, spool_region(rec[0]), spool_a(rec[0]))] +=
		overlap(process, rec[1], rec[1] + spool_duration(rec[2]));
}

/* Adds time of the main thread: a nested call is part of the outer one. */
static void time_add(struct live_process *process, const uint64_t *rec)
{
	unsigned type = spool_type(rec[0]);
	uint64_t end = rec[1] + spool_duration(rec[2]), call[4];
	struct brief calls;

	if (spool_depth(rec[0]) || end <= process->since || rec[1] >= process->now)
		return;
	if (type == SPOOL_BRIEF)
		for (calls = brief_of(rec); brief_next(&calls, call);)
			call_time_add(process, call);
	else if (type == SPOOL_FOLD)
		fold_add(process, rec);
	else if (type == SPOOL_GAP)
		process->state[HOST_LOST] += overlap(process, rec[1], end);
	else if (is_call(type))
		call_time_add(process, rec);
}

/* Adds the bytes of calls on files, when their records are passed. */
static void bytes_add(struct live_process *process, const uint64_t *rec)
{
	unsigned type = spool_type(rec[0]), region = spool_region(rec[0]);
	uint64_t n = type == SPOOL_IO ? rec[3] & 0xffffff : rec[3];

	if ((type != SPOOL_IO && type != SPOOL_IO_LONG && type != SPOOL_IO_PLAIN) ||
		handle_kind(process, spool_a(rec[0])) != HANDLE_FILE || n > UINT64_C(1) << 47)
		return;
	if (region_infos[region].io == IO_OP_READ)
		process->read_bytes += n;
	else if (region_infos[region].io == IO_OP_WRITE)
		process->written_bytes += n;
}

static void step_take(struct live_process *process, const uint64_t *rec)
{
	if (spool_region(rec[0]) != SPOOL_MARK_STEP)
		return;
	process->in_step = spool_type(rec[0]) == SPOOL_BEGIN;
	if (process->in_step) {
		process->has_step = true;
		process->step = rec[3] & ~SPOOL_STEP_FOUND;
		return;
	}
	process->samples += rec[3] < UINT64_C(1) << 47 ? rec[3] : 0;
	process->step_ends[process->nsteps % LIVE_STEPS] = rec[1];
	process->step_samples[process->nsteps % LIVE_STEPS] = process->samples;
	process->nsteps++;
}

static void sample_take(struct live_process *process, const uint64_t *rec)
{
	uint32_t first = spool_a(rec[0]);

	for (unsigned i = 3; i < spool_words(rec[2]); i++) {
		struct live_metric *metric = first + (i - 3) < process->metrics.n
			? &process->metrics.at[first + (i - 3)]
			: NULL;

		if (!metric || !metric->name)
			continue;
		metric->value = rec[i];
		metric->ticks = rec[1];
	}
}

static void brief_pass(struct live_process *process, const uint64_t *rec)
{
	struct brief calls = brief_of(rec);
	uint64_t call[4];

	while (brief_next(&calls, call))
		bytes_add(process, call);
}

/* What counts once, when its record is passed. */
static void record_pass(struct live_process *process, struct live_thread *thread,
	const uint64_t *rec)
{
	live_nccl_take(&process->nccl, &thread->nccl, rec);
	switch (spool_type(rec[0])) {
	case SPOOL_BEGIN:
	case SPOOL_END: step_take(process, rec); break;
	case SPOOL_SAMPLE:
		if (thread->head.kind == SPOOL_KIND_SAMPLER)
			sample_take(process, rec);
		break;
	default:
		if (spool_type(rec[0]) == SPOOL_BRIEF)
			brief_pass(process, rec);
		else
			bytes_add(process, rec);
		if (thread->head.is_main && !spool_depth(rec[0]))
			process->last_ticks = rec[1] + spool_duration(rec[2]);
	}
}

/* Words of the record or pad at `rec`; `n` words are readable; 0: nothing more, or damage. */
static size_t record_words(const uint64_t *rec, size_t n)
{
	size_t words;

	if (!rec[0])
		return 0;
	if (spool_type(rec[0]) == SPOOL_PAD)
		return spool_a(rec[0]) % 8 ? 0 : spool_a(rec[0]) / 8;
	if (n < 3 || spool_type(rec[0]) >= SPOOL_TYPE_COUNT)
		return 0;
	words = spool_words(rec[2]);
	return words < 3 || words > SPOOL_MAX_WORDS ? 0 : words;
}

/* Words at the beginning of the buffer that are whole records; the last one may be a pad beyond it. */
static size_t whole(const uint64_t *buffer, size_t n)
{
	size_t at = 0;

	while (at < n) {
		size_t words = record_words(buffer + at, n - at);

		if (!words || (words > n - at && spool_type(buffer[at]) != SPOOL_PAD))
			break;
		at += words;
	}
	return at;
}

struct live_walk {
	struct live_process *process;
	struct live_thread *thread;
	bool stays; /* the place is kept at a record that was met */
	uint64_t
		inside; /* start of the call that the thread was in, before its records were read */
	bool inside_ended; /* its record was met */
};

/* Whether a record is of the outermost call that began then. */
static bool call_is_in(const uint64_t *rec, uint64_t start)
{
	struct brief calls = brief_of(rec);
	uint64_t call[4];

	if (spool_type(rec[0]) != SPOOL_BRIEF)
		return !spool_depth(rec[0]) && rec[1] == start;
	while (brief_next(&calls, call))
		if (call[1] == start)
			return true;
	return false;
}

/* Whether a record may change, or ended after the interval. */
static bool record_is_open(const struct live_walk *walk, const uint64_t *rec, bool is_last)
{
	unsigned type = spool_type(rec[0]);

	return type == SPOOL_PAD ? false
				 : rec[1] + spool_duration(rec[2]) > walk->process->now ||
			(type == SPOOL_FOLD &&
				(is_last || rec[1] + SPOOL_LATE_SPAN > walk->process->now)) ||
			(type == SPOOL_BRIEF && is_last &&
				rec[1] + BRIEF_SPAN + BRIEF_TICKS_MOST > walk->process->now);
}

/* Takes records up to `end`; `more`: others follow them. */
static void records_take(struct live_walk *walk, const uint64_t *rec, const uint64_t *end,
	bool more)
{
	const struct spool_head *head = &walk->thread->head;

	while (rec < end) {
		bool is_pad = spool_type(rec[0]) == SPOOL_PAD;
		size_t words = is_pad ? spool_a(rec[0]) / 8 : spool_words(rec[2]);

		if (!is_pad && words > (size_t)(end - rec))
			return; /* it has grown since it was found to be there */
		if (!is_pad && head->is_main && head->kind == SPOOL_KIND_THREAD) {
			time_add(walk->process, rec);
			walk->inside_ended |= call_is_in(rec, walk->inside);
		}
		walk->stays |= record_is_open(walk, rec, !more && rec + words >= end);
		if (!walk->stays) {
			if (!is_pad)
				record_pass(walk->process, walk->thread, rec);
			walk->thread->file.at += words * 8;
		}
		rec += words;
	}
}

/*
 * Reads from `at` on, twice. Records present in the first reading are complete in the second, as a
 * record's first word is stored last.
 */
static size_t records_read(const struct spool_file *file, int64_t at, uint64_t *buffer,
	size_t bytes, bool *more)
{
	ssize_t n = spool_file_read(file, buffer, bytes, (uint64_t)at);
	size_t words, there;

	if (n < 8)
		return 0;
	words = whole(buffer, (size_t)n / 8);
	if (!words)
		return 0;
	*more = words >= (size_t)n / 8 || buffer[words];
	atomic_thread_fence(memory_order_acquire);
	there = words * 8 < (size_t)n ? words * 8 : (size_t)n;
	return spool_file_read(file, buffer, there, (uint64_t)at) == (ssize_t)there ? words : 0;
}

/* Number of the chunk that begins at an offset of the file; NO_CHUNK: none does. */
static uint64_t chunk_number(const struct spool_file *file, uint64_t at)
{
	uint64_t words[NUMBER_WORD + 1];

	if (spool_file_read(file, words, sizeof(words), (uint64_t)at) != sizeof(words) ||
		spool_type(words[0]) != SPOOL_CLOCK || spool_words(words[2]) <= NUMBER_WORD)
		return NO_CHUNK;
	return words[NUMBER_WORD];
}

/* Goes to the first chunk from number `least` on, or to the last of all. False: there is none. */
static bool chunk_enter(struct live_thread *thread, const struct spool_file *file, uint64_t least,
	bool last)
{
	uint64_t begin = SPOOL_HEAD_SIZE, size = thread->head.first_size, best = NO_CHUNK, number;
	uint32_t slot = 0;

	for (; begin < file->size;
		begin += size, size = totals_slot_size(thread->head.slot_size, slot++)) {
		number = chunk_number(file, begin);
		if (number == NO_CHUNK || number < least ||
			(best != NO_CHUNK && (last ? number < best : number > best)))
			continue;
		best = number;
		thread->chunk = number;
		thread->file.at = thread->chunk_begin = begin;
		thread->chunk_end = begin + size;
	}
	return best != NO_CHUNK;
}

/*
 * For a spool of bounded size: continues in the chunk just read if it is still valid, else in the
 * next one. The space of a chunk that was given up may hold another.
 */
static bool chunk_follow(struct live_thread *thread, const struct spool_file *file)
{
	if (!thread->chunk_end)
		return chunk_enter(thread, file, 0, false);
	if (chunk_number(file, thread->chunk_begin) != thread->chunk ||
		thread->file.at >= thread->chunk_end)
		return chunk_enter(thread, file, thread->chunk + 1, false);
	return true;
}

/*
 * A chunk begins with the time. The first ones are of 16, 64, 256 and 1,024 KB; where that is not so
 * any more (the disk was nearly full) all is read.
 */
static void beginning_skip(struct live_thread *thread, const struct spool_file *file)
{
	uint64_t words[5], at;

	thread->skipped = true;
	if (file->size < SKIPPED_LEAST)
		return;
	if (thread->head.slot_size) {
		chunk_enter(thread, file, 0, true);
		return;
	}
	at = SPOOL_HEAD_SIZE + FIRST_CHUNKS;
	at += (file->size - at) / CHUNK * CHUNK;
	for (int tries = 3; tries && at > SPOOL_HEAD_SIZE + FIRST_CHUNKS; tries--, at -= CHUNK)
		if (spool_file_read(file, words, sizeof(words), (uint64_t)at) == sizeof(words) &&
			spool_type(words[0]) == SPOOL_CLOCK && spool_words(words[2]) == 5) {
			thread->file.at = at;
			return;
		}
}

static bool head_read(struct live_thread *thread, const struct spool_file *file, uint64_t at)
{
	struct spool_head *head = &thread->head;

	if (spool_file_read(file, head, sizeof(*head), (uint64_t)at) != sizeof(*head) ||
		memcmp(head->magic, SPOOL_MAGIC, 8) != 0 || head->version != SPOOL_VERSION ||
		head->nregions != REGION_COUNT || head->slot_size % 4096 || head->first_size % 4096)
		return false;
	thread->lost = 0;
	for (int i = 0; i < LOSS_COUNT; i++)
		thread->lost += head->lost[i];
	return true;
}

static void inside_take(const struct live_walk *walk)
{
	struct live_process *process = walk->process;
	const struct spool_inside *in = &walk->thread->head.inside[0];

	process->inside = 0;
	process->inside_since = process->last_ticks;
	if (!in->region || in->region >= REGION_COUNT || walk->inside_ended ||
		in->start < process->last_ticks)
		return;
	process->inside = in->region;
	process->inside_since = in->start;
	process->state[live_state(process, in->region, (uint32_t)in->arg)] += overlap(process,
		in->start, process->now);
}

/* Takes what there is from the thread's place on, up to an offset of the file. */
static void stretch_read(struct live_walk *walk, const struct spool_file *file, uint64_t *buffer,
	uint64_t end)
{
	uint64_t at = walk->thread->file.at;
	size_t bytes = LOOK, words;
	bool more = false;

	for (; at < end;
		bytes = bytes < LIVE_BUFFER / 4 ? bytes * 4 : LIVE_BUFFER, at += words * 8) {
		words = records_read(file, (int64_t)at + walk->thread->shift, buffer,
			bytes < end - at ? bytes : end - at, &more);
		if (!words)
			break;
		records_take(walk, buffer, buffer + words, more);
	}
}

static void chunks_read(struct live_walk *walk, const struct spool_file *file, uint64_t *buffer)
{
	struct live_thread *thread = walk->thread;

	while (!walk->stays && chunk_follow(thread, file)) {
		uint64_t before = thread->file.at;

		stretch_read(walk, file, buffer, thread->chunk_end);
		if (thread->file.at == before || thread->file.at < thread->chunk_end)
			break;
	}
}

/* Continues from the position in the slot: the file begins with a copy of the slot. */
static void slot_leave(struct live_thread *thread)
{
	thread->is_in_slot = false;
	thread->skipped = true;
	thread->shift = 0;
	if (!thread->head.slot_size)
		return;
	thread->chunk = 0;
	thread->chunk_begin = SPOOL_HEAD_SIZE;
	thread->chunk_end = SPOOL_HEAD_SIZE + thread->head.first_size;
}

/* Opens where the thread's records are, and reads its head. False: there is none yet. */
static bool thread_open(const struct live_process *process, struct live_thread *thread,
	struct spool_file *file)
{
	uint64_t slot = live_slot_at(process);

	if (spool_file_open(thread->file.path, file) == 0) {
		if (head_read(thread, file, 0)) {
			if (thread->is_in_slot)
				slot_leave(thread);
			return true;
		}
		spool_file_close(file);
	}
	if (!thread->is_in_slot || spool_file_open(process->place.slots, file) < 0)
		return false;
	if (head_read(thread, file, slot + offsetof(struct slot, head))) {
		thread->head.slot_size = thread->head.first_size = 0;
		thread->shift = (int64_t)(slot + offsetof(struct slot, records)) - SPOOL_HEAD_SIZE;
		return true;
	}
	spool_file_close(file);
	return false;
}

void live_thread_read(struct live_process *process, struct live_thread *thread, bool devices,
	uint64_t *buffer)
{
	struct live_walk walk = { .process = process, .thread = thread };
	struct spool_file file;

	if ((devices && thread->head.kind != SPOOL_KIND_GPU) ||
		!thread_open(process, thread, &file))
		return;
	if ((thread->head.kind == SPOOL_KIND_GPU) != devices) {
		spool_file_close(&file);
		return;
	}
	if (!thread->skipped && !thread->is_in_slot)
		beginning_skip(thread, &file);
	walk.inside = thread->head.inside[0].start;
	if (thread->head.slot_size)
		chunks_read(&walk, &file, buffer);
	else
		stretch_read(&walk, &file, buffer,
			thread->is_in_slot ? SPOOL_HEAD_SIZE + SLOT_RECORDS : UINT64_MAX);
	if (thread->head.is_main && thread->head.kind == SPOOL_KIND_THREAD)
		inside_take(&walk);
	spool_file_close(&file);
}
