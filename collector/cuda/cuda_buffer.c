/*
 * cuda_buffer.c - CUPTI's buffers, their way into spools of kind
 * SPOOL_KIND_GPU, and time; see cuda_capture.h. CUPTI asks for buffers and hands them
 * back on any thread, several at once.
 */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "cuda/cuda_capture.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/thread.h"

#define BUFFER_SIZE  (1u << 20) /* some 5,000 activities */
#define BUFFERS	     64		/* what CUPTI may hold; then it drops records and says how many */
#define BUFFERS_WARM 4		/* keep their pages when they come back */
#define WRITERS	     32		/* that hand back at once; more wait for each other */

/*
 * Time. CUPTI takes our clock where it can; else a line through pairs of its
 * time and ours, read as close together as a few tries allow: the first ones
 * and the latest. Whoever reads takes either the old or the new latest pair.
 */
bool tacho_cuda_clock_is_own;

static struct pair {
	uint64_t time, ticks;
} first, latest[2];
static _Atomic uint32_t npairs, is_pairing;

enum buffer_state { BUFFER_NONE, BUFFER_FREE, BUFFER_TAKEN };

static struct {
	_Atomic uint32_t state; /* enum buffer_state */
	uint8_t *at;		/* belongs to who took it */
} buffers[BUFFERS];

static struct {
	_Atomic uint32_t busy;
	struct thread *spool; /* made when first needed; belongs to who is busy */
} writers[WRITERS];

static bool buffer_take(unsigned i)
{
	uint32_t seen = BUFFER_FREE;

	if (atomic_compare_exchange_strong(&buffers[i].state, &seen, BUFFER_TAKEN))
		return true;
	if (seen != BUFFER_NONE ||
		!atomic_compare_exchange_strong(&buffers[i].state, &seen, BUFFER_TAKEN))
		return false;
	buffers[i].at = sys_map(BUFFER_SIZE, MAP_PRIVATE);
	if (buffers[i].at != MAP_FAILED)
		return true;
	atomic_store(&buffers[i].state, BUFFER_NONE);
	return false;
}

void cuda_buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	int saved = errno;

	*buffer = NULL;
	*size = *max_records = 0; /* as many records as fit */
	for (unsigned i = 0; i < BUFFERS && cuda_is_on(); i++)
		if (buffer_take(i)) {
			*buffer = buffers[i].at;
			*size = BUFFER_SIZE;
			break;
		}
	errno = saved;
}

static void buffer_give_back(const uint8_t *at)
{
	for (unsigned i = 0; i < BUFFERS; i++) {
		if (atomic_load(&buffers[i].state) != BUFFER_TAKEN || buffers[i].at != at)
			continue;
		if (i >= BUFFERS_WARM)
			sys_madvise(buffers[i].at, BUFFER_SIZE, MADV_DONTNEED);
		atomic_store(&buffers[i].state, BUFFER_FREE);
		return;
	}
}

/* A spool that nobody writes to at the moment. */
static unsigned writer_take(void)
{
	for (unsigned i = 0;; i = (i + 1) % WRITERS) {
		uint32_t seen = 0;

		if (atomic_compare_exchange_strong(&writers[i].busy, &seen, 1))
			return i;
		if (i == WRITERS - 1)
			sched_yield();
	}
}

static void record_write(struct thread *spool, const struct gpu_record *r)
{
	unsigned depth, words = 3 + r->nwords;
	uint64_t now, *at = span_take(spool, words, 0, &now, &depth);

	if (unlikely(!at))
		return; /* it has been counted */
	at[1] = r->start;
	at[2] = spool_word2(r->end - r->start, words);
	memcpy(at + 3, r->words, r->nwords * sizeof(*at));
	span_publish(at, spool_word0(r->type, 0, REGION_NONE, r->a));
}

/* What is lost is counted where the process's losses are: not every buffer has a spool. */
static void lose(enum spool_loss loss, uint64_t n)
{
	if (n && tacho_process.state)
		atomic_fetch_add_explicit(&tacho_process.state->lost[loss], n,
			memory_order_relaxed);
}

static void buffer_read(struct thread *spool, uint8_t *buffer, size_t valid)
{
	uint64_t nuntimed = 0, ntorn = 0, nhomeless = 0;
	void *activity = NULL;

	while (tacho_cupti.ActivityGetNextRecord(buffer, valid, &activity) == CUPTI_OK) {
		size_t room = (size_t)(buffer + valid - (uint8_t *)activity);
		struct gpu_record record;
		enum decoded decoded = cuda_decode(activity, room, &record);

		nuntimed += decoded == DECODED_UNTIMED;
		ntorn += decoded == DECODED_SHORT;
		if (decoded != DECODED_RECORD || !cuda_was_captured(record.correlation))
			continue;
		if (spool)
			record_write(spool, &record);
		else
			nhomeless++;
	}
	lose(LOSS_GPU_UNTIMED, nuntimed);
	lose(LOSS_TORN, ntorn);
	lose(LOSS_NO_SPOOL, nhomeless);
}

void cuda_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
	size_t valid)
{
	int saved = errno;
	size_t dropped = 0;
	unsigned writer;

	(void)size;
	if (!buffer || !cuda_is_on())
		return; /* a forked child's: the spools are its parent's */
	if (valid) {
		/*
		 * one pair has no rate: a buffer that is full before the first fetch needs a second
		 */
		if (!tacho_cuda_clock_is_own &&
			atomic_load_explicit(&npairs, memory_order_relaxed) < 2)
			cuda_clock_pair();
		writer = writer_take();
		if (!writers[writer].spool)
			writers[writer].spool = thread_open_kind(SPOOL_KIND_GPU);
		buffer_read(writers[writer].spool, buffer, valid);
		atomic_store(&writers[writer].busy, 0);
	}
	if (tacho_cupti.ActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_OK)
		lose(LOSS_GPU_DROPPED, dropped);
	buffer_give_back(buffer);
	errno = saved;
}

void cuda_buffers_forked(void)
{
	memset(writers, 0, sizeof(writers));
}

void cuda_clock_pair(void)
{
	struct pair best = { 0 };
	uint64_t before, time, after, width = UINT64_MAX;
	uint32_t n;

	/* one at a time; whoever comes meanwhile is served by it */
	if (tacho_cuda_clock_is_own || atomic_exchange(&is_pairing, 1))
		return;
	n = atomic_load(&npairs);
	for (int i = 0; i < 5; i++) {
		before = clock_ticks();
		if (tacho_cupti.GetTimestamp(&time) != CUPTI_OK)
			goto out;
		after = clock_ticks();
		if (after - before < width) {
			width = after - before;
			best = (struct pair){ time, before + (after - before) / 2 };
		}
	}
	if (n == 0)
		first = best;
	latest[n % 2] = best;
	atomic_store(&npairs, n + 1);
out:
	atomic_store(&is_pairing, 0);
}

uint64_t cuda_ticks(uint64_t time)
{
	struct pair last;
	double rate = 1;

	if (tacho_cuda_clock_is_own || !atomic_load(&npairs))
		return time;
	last = latest[(atomic_load(&npairs) - 1) % 2];
	if (last.time > first.time)
		rate = (double)(last.ticks - first.ticks) / (double)(last.time - first.time);
	return last.ticks + (uint64_t)(int64_t)((double)(int64_t)(time - last.time) * rate);
}
