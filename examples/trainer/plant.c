/* plant.c - see plant.h. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "matrix.h"
#include "plant.h"
#include "say.h"

/* Does the item, whose length is known, read as the format says? %n at its end says. */
#define reads_as(item, length, format, ...)                                                        \
	({                                                                                         \
		int used_ = -1;                                                                    \
		sscanf(item, format "%n", __VA_ARGS__, &used_);                                    \
		used_ == (int)(length);                                                            \
	})

static bool is_word(const char *item, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(item, word, length) == 0;
}

static int switch_parse(struct plant *p, const char *item, size_t length)
{
	struct {
		const char *word;
		bool *on;
	} switches[] = {
		{ "tiny-messages", &p->tiny_messages },
		{ "wrong-pinning", &p->wrong_pinning },
		{ "needless-sync", &p->needless_sync },
		{ "tiny-kernels", &p->tiny_kernels },
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(*switches); i++)
		if (is_word(item, length, switches[i].word)) {
			*switches[i].on = true;
			return 0;
		}
	return -1;
}

static int item_parse(struct plant *p, const char *item, size_t length)
{
	unsigned long long step = 0;

	if (reads_as(item, length, "slow-rank:%d:%lf", &p->slow_rank, &p->slow_factor) ||
		reads_as(item, length, "slow-rank:%d:%lf:%llu", &p->slow_rank, &p->slow_factor,
			&step)) {
		p->slow_step = step;
		return p->slow_rank >= 0 && p->slow_factor >= 1 ? 0 : -1;
	}
	if (reads_as(item, length, "uneven:%d:%lf", &p->uneven_rank, &p->uneven_factor))
		return p->uneven_rank >= 0 && p->uneven_factor >= 1 ? 0 : -1;
	if (reads_as(item, length, "kill:%d:%llu", &p->kill_rank, &step)) {
		p->kill_step = step;
		return p->kill_rank >= 0 ? 0 : -1;
	}
	if (reads_as(item, length, "slow-storage:%lf", &p->storage_ms))
		return p->storage_ms >= 0 ? 0 : -1;
	if (reads_as(item, length, "slow-storage:%lf:%d", &p->storage_ms, &p->storage_rank))
		return p->storage_ms >= 0 && p->storage_rank >= 0 ? 0 : -1;
	if (reads_as(item, length, "spinning-threads:%d", &p->spinning))
		return p->spinning >= 0 ? 0 : -1;
	if (reads_as(item, length, "late-launch:%lf", &p->launch_ms))
		return p->launch_ms >= 0 ? 0 : -1;
	return switch_parse(p, item, length);
}

/* Whether the list has an item of the same kind before this one. */
static bool is_second(const char *list, const char *item)
{
	size_t length = strcspn(item, ":,");

	for (; list < item; list += strcspn(list, ",") + 1)
		if (strcspn(list, ":,") == length && memcmp(list, item, length) == 0)
			return true;
	return false;
}

enum plant_result plant_parse(struct plant *p, const char *list, const char **wrong)
{
	const char *all = list;

	*p = (struct plant){ .slow_rank = -1,
		.slow_factor = 1,
		.uneven_rank = -1,
		.storage_rank = -1,
		.kill_rank = -1 };
	while (list) {
		size_t length = strcspn(list, ",");

		*wrong = list;
		if (item_parse(p, list, length) < 0)
			return PLANT_UNKNOWN;
		if (is_second(all, list))
			return PLANT_TWICE;
		list = list[length] ? list + length + 1 : NULL;
	}
	return PLANT_FINE;
}

/* Everything of this process on the first core it may use: so do all ranks of the node. */
static int pin_wrongly(void)
{
	cpu_set_t allowed, one;
	int core = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return fail("cannot read the affinity: %m (--plant wrong-pinning)");
	while (!CPU_ISSET(core, &allowed))
		core++;
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0)
		return fail("cannot pin to core %d: %m (--plant wrong-pinning)", core);
	return 0;
}

static void *spin(void *nothing)
{
	for (volatile unsigned turns = 0;; turns++)
		;
	return nothing;
}

/* As OpenMP's do that wait actively for their next loop. They end with the process. */
static int spin_start(int threads)
{
	for (int i = 0; i < threads; i++) {
		pthread_t thread;

		errno = pthread_create(&thread, NULL, spin, NULL);
		if (errno)
			return fail("cannot start thread %d: %m (--plant spinning-threads)", i);
		pthread_detach(thread);
	}
	return 0;
}

int plant_start(const struct plant *p)
{
	if (p->wrong_pinning && pin_wrongly() < 0)
		return -1;
	/* tacho shall take the timer of plant_storage() for storage */
	if (p->storage_ms > 0)
		setenv("TACHO_TEST_TIMER_IS_STORAGE", "1", 1);
	return spin_start(p->spinning);
}

void plant_sleep(double ms)
{
	struct timespec t = { ms / 1000, (long)(ms * 1e6) % 1000000000 };

	nanosleep(&t, NULL);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

double plant_storage_ms(const struct plant *p, const struct job *job)
{
	return p->storage_rank < 0 || p->storage_rank == job->rank ? p->storage_ms : 0;
}

void plant_storage(double ms)
{
	static _Thread_local int fd = -1;
	struct itimerspec late = {
		.it_value = { ms / 1000, (long)(ms * 1e6) % 1000000000 },
	};
	uint64_t expired;

	if (fd < 0)
		fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (fd < 0 || timerfd_settime(fd, 0, &late, NULL) < 0 ||
		read(fd, &expired, sizeof(expired)) < 0)
		plant_sleep(ms);
}

void plant_before_compute(const struct plant *p, const struct job *job, uint64_t step)
{
	if (p->kill_rank == job->rank && p->kill_step == step)
		raise(SIGKILL);
	if (p->launch_ms > 0)
		plant_sleep(p->launch_ms);
}

/*
 * A slow processor multiplies matrices as well, only longer: no sleep that a trace could
 * distinguish.
 */
static void multiply_for(double seconds)
{
	static float a[32 * 32], b[32 * 32], c[32 * 32];
	double end = now() + seconds;

	while (now() < end)
		matrix_multiply(MATRIX_PLAIN, MATRIX_PLAIN, 32, 32, 32, a, b, 0, c);
}

double plant_slowness(const struct plant *p, const struct job *job, uint64_t step)
{
	return p->slow_rank == job->rank && step >= p->slow_step ? p->slow_factor : 1;
}

void plant_after_compute(const struct plant *p, const struct job *job, uint64_t step,
	double seconds)
{
	double slowness = plant_slowness(p, job, step);

	if (slowness > 1)
		multiply_for((slowness - 1) * seconds);
}

double plant_unevenness(const struct plant *p, const struct job *job)
{
	return p->uneven_rank == job->rank ? p->uneven_factor : 1;
}

void plant_after_held_out(const struct plant *p, const struct job *job, double seconds)
{
	double unevenness = plant_unevenness(p, job);

	if (unevenness > 1)
		multiply_for((unevenness - 1) * seconds);
}
