/*
 * sampler.c - when which source is read, and how its metrics are defined and recorded; see
 * sampler.h.
 *
 * RATIONALE: the cost of a source depends on the machine (/proc/stat sums all interrupts of all
 * cores; a mount table can have a thousand lines). So each source's time is measured, and all are
 * read less often if together they would need more than MAX_LOAD_PPM of a core. In a run within a
 * budget, the interval doubles each time the samples have filled another part, SIZE_PART, of it: a
 * run twice as long then needs one part more, and is sampled to its end.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters/nvml.h"
#include "cuda/cuda_capture.h"
#include "core/budget.h"
#include "core/define.h"
#include "core/process.h"
#include "core/ring.h"
#include "counters/sampler.h"
#include "counters/sources.h"
#include "core/sys.h"
#include "core/thread.h"
#include "tacho/host.h"

#define DEFAULT_HZ   10
#define MAX_HZ	     100
#define MAX_LOAD_PPM 800	 /* millionths of a core */
#define SIZE_PART    32		 /* that part of the process's budget */
#define SIZE_HALVES  20		 /* at most */
#define ABSENT_NS    1000000000u /* between searches for a source that gave nothing */
#define DUTY_NS	     1000000000u /* between checks whether the node's sampler lives */
#define DUTY_MAX     1000	 /* samplers that a node can use up, one after the other */
#define DUTY_VACANT  "0"	 /* target of the link of one that has given up */

/* A source as this process reads it. */
struct reading {
	uint64_t hash;	/* of the set defined last */
	uint32_t first; /* id of its first metric; 0 = none defined */
	uint64_t due_ns;
	uint64_t cost_ns; /* of one reading, smoothed */
};

/* Tasks that one process of a node has for all: it reads the node's counters, or its GPUs'. */
enum duty { DUTY_NODE, DUTY_GPUS, DUTIES };
static const char *const duty_names[DUTIES] = { "node", "gpus" };

static struct {
	uint64_t begun; /* start of the process that it is of */
	struct reading of[SOURCE_COUNT];
	struct thread *spool; /* made for the first sample */
	uint64_t period_ns;   /* UINT64_MAX = never */
	uint64_t due_ns, duty_due_ns;
	uint64_t spent_ns;
	uint64_t written; /* bytes of samples */
	bool on_duty[DUTIES];
	unsigned duty[DUTIES]; /* number of the process with this duty */
	bool over;
} sampler;

bool tacho_attached_gpus;

static _Atomic uint32_t busy; /* pid of the sampling process: a forked child sees a stale one */
static struct sample_set set;

static bool enter(void)
{
	uint32_t pid = sys_pid(), seen = atomic_load(&busy);

	return seen != pid && atomic_compare_exchange_strong(&busy, &seen, pid);
}

static void leave(void)
{
	atomic_store(&busy, 0);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void start(void)
{
	uint32_t asked = tacho_process.asked.sample_hz, n = asked == ASKED_NOT ? DEFAULT_HZ : asked;

	sampler.period_ns = n ? 1000000000u / (n > MAX_HZ ? MAX_HZ : n) : UINT64_MAX;
	/* the others leave the first process of the node time to come */
	if (tacho_process.ranks.local_rank > 0)
		sampler.duty_due_ns = clock_monotonic_ns() + DUTY_NS;
}

/*
 * Path of the link that represents the n-th process with the duty on the node. All processes of the
 * run share it, even if each has a separate folder of spools (TACHO_SPOOL). False when the path
 * does not fit.
 */
static bool duty_path(char *path, size_t size, enum duty duty, unsigned n)
{
	const char *run = tacho_process.asked.run, *name = strrchr(tacho_process.folder, '/');
	char host[HOST_ROOM];

	if (!name)
		return false;
	host_name(host);
	if (*run != '/')
		return snprintf(path, size, "%.*s/.%s.%s.%u", (int)(name - tacho_process.folder),
			       tacho_process.folder, duty_names[duty], host, n) < (int)size;
	if (snprintf(path, size, "%s/spool", run) >= (int)size)
		return false;
	sys_mkdir(path, 0700);
	return snprintf(path, size, "%s/spool/.%s.%s.%u", run, duty_names[duty], host, n) <
		(int)size;
}

/*
 * Whether the process that a link names has ended. A link that cannot be read leaves it in office.
 */
static bool duty_is_vacant(const char *path)
{
	char target[24];
	ssize_t n = sys_readlink(path, target, sizeof(target) - 1);
	long pid;

	if (n <= 0)
		return false;
	target[n] = '\0';
	pid = strtol(target, NULL, 10);
	return pid == 0 ||
		(pid != (long)tacho_process.pid && syscall(SYS_kill, pid, 0) < 0 && errno == ESRCH);
}

/*
 * Links .<duty>.<host>.<n> to a process's number assign the duty; the highest n holds it. Only one
 * process succeeds in making the next link, and a link has its content from the start, so no lock
 * is needed, on any file system.
 */
static void duty_take(enum duty duty)
{
	unsigned *n = &sampler.duty[duty];
	char path[PATH_MAX], pid[16];

	snprintf(pid, sizeof(pid), "%u", tacho_process.pid);
	for (; *n < DUTY_MAX && duty_path(path, sizeof(path), duty, *n); ++*n) {
		if (!syscall(SYS_symlinkat, pid, AT_FDCWD, path)) {
			sampler.on_duty[duty] = true;
			return;
		}
		if (errno != EEXIST || !duty_is_vacant(path))
			return;
	}
}

static void duty_look(uint64_t now)
{
	if (now < sampler.duty_due_ns || tacho_process.is_child)
		return;
	sampler.duty_due_ns = now + DUTY_NS;
	if (!sampler.on_duty[DUTY_NODE])
		duty_take(DUTY_NODE);
	if (!sampler.on_duty[DUTY_GPUS] && (cuda_has_begun() || tacho_attached_gpus))
		duty_take(DUTY_GPUS);
}

/*
 * The process ends or becomes another program: the next one shall not wait until its pid is gone.
 */
static void duty_give_up(void)
{
	char path[PATH_MAX];

	for (int duty = 0; duty < DUTIES; duty++) {
		if (sampler.on_duty[duty] &&
			duty_path(path, sizeof(path), (enum duty)duty, sampler.duty[duty] + 1))
			syscall(SYS_symlinkat, DUTY_VACANT, AT_FDCWD, path);
		sampler.on_duty[duty] = false;
	}
}

/* Defines the metrics of `set`; 0 when that failed. */
static uint32_t metrics_define(const struct counter *source)
{
	struct spool_def_metric body = { .scope = source->scope, .set = set.count };

	for (unsigned i = 0; i < set.count; i++) {
		char text[SOURCE_NAME_SIZE + 128];
		int n = snprintf(text, sizeof(text), "%s%c%s%c%s", set.name[i], 0, set.unit[i], 0,
			set.description[i]);
		struct def def = { .type = DEF_METRIC,
			.id = process_allot(DEF_METRIC),
			.body = &body,
			.nbody = sizeof(body),
			.text = text,
			.ntext = (size_t)n };

		if (i == 0)
			body.first = def.id;
		body.mode = set.mode[i];
		if (process_define(&def) < 0)
			return 0;
	}
	return body.first;
}

/* Records a reading. */
static void record(const struct counter *source, struct reading *reading)
{
	if (!sampler.spool)
		sampler.spool = thread_open_kind(SPOOL_KIND_SAMPLER);
	if (!sampler.spool)
		return;
	if (!reading->first || reading->hash != set.hash) {
		reading->hash = set.hash;
		reading->first = metrics_define(source);
	}
	if (!reading->first)
		return;
	span_record(sampler.spool, SPOOL_SAMPLE, 0, reading->first, set.value, set.count);
	sampler.written += (3 + set.count) * sizeof(uint64_t);
}

/* How often a source would be read if it cost nothing. */
static uint64_t interval(const struct counter *source)
{
	uint64_t least = source->period_ms * 1000000ull;

	return least > sampler.period_ns ? least : sampler.period_ns;
}

/* Factor by which all intervals grow, so that samples leave most of the budget to calls. */
static uint64_t stretch_of_size(void)
{
	uint64_t part = budget_limit() / SIZE_PART, halves = part ? sampler.written / part : 0;

	return 1ull << (halves < SIZE_HALVES ? halves : SIZE_HALVES);
}

/* The same, and so that sampling stays below its share of a core; in thousandths. */
static uint64_t stretch(void)
{
	uint64_t load_ppm = 0, size = stretch_of_size();

	for (int id = 0; id < SOURCE_COUNT; id++)
		load_ppm += sampler.of[id].cost_ns * 1000000 / interval(&tacho_counters[id]);
	return size * (load_ppm > MAX_LOAD_PPM ? load_ppm * 1000 / MAX_LOAD_PPM : 1000);
}

static void source_sample(const struct counter *source, struct reading *reading, uint64_t now)
{
	uint64_t begin = cpu_ns(), cost, wait_ns;
	uint32_t first = reading->first;

	source_read(source, &set);
	if (set.count)
		record(source, reading);
	cost = cpu_ns() - begin;
	sampler.spent_ns += cost;
	if (first && first == reading->first) /* the next reading has no cost of naming */
		reading->cost_ns = reading->cost_ns ? (7 * reading->cost_ns + cost) / 8 : cost;
	wait_ns = interval(source) * stretch() / 1000;
	if (!set.count && !set.is_busy && wait_ns < ABSENT_NS)
		wait_ns = ABSENT_NS;
	/* from the time it was due, so that intervals hold on average */
	reading->due_ns += wait_ns;
	if (reading->due_ns < now)
		reading->due_ns = now + wait_ns;
}

/* Reads the sources that are due, or all. */
static void sample(uint64_t now, bool all)
{
	for (int id = 0; id < SOURCE_COUNT; id++) {
		const struct counter *source = &tacho_counters[id];

		if (source->scope == METRIC_OF_NODE &&
			!sampler.on_duty[id == SOURCE_NVML ? DUTY_GPUS : DUTY_NODE])
			continue;
		if (id == SOURCE_PROCESS_QUOTA && tacho_process.is_child)
			continue; /* its rank's */
		if (all || now >= sampler.of[id].due_ns)
			source_sample(source, &sampler.of[id], now);
	}
}

/*
 * The first time in a process; short ones never sample, and leave alone what their parent's
 * sampler knew.
 */
static void begin(void)
{
	if (sampler.begun == tacho_process.start_ticks)
		return;
	sources_forget();
	memset(&sampler, 0, sizeof(sampler));
	atomic_store(&busy, 0);
	sampler.begun = tacho_process.start_ticks;
	start();
}

static uint64_t sampler_tick(void)
{
	uint64_t now = clock_monotonic_ns(), due_ns;

	begin();
	due_ns = sampler.due_ns;
	if (sampler.period_ns == UINT64_MAX)
		return UINT64_MAX;
	if (now < due_ns)
		return due_ns; /* woken for something else */
	if (now >= due_ns + sampler.period_ns)
		due_ns = now; /* the first time, or late by more than one */
	sampler.due_ns = due_ns + sampler.period_ns;
	if (!enter())
		return sampler.due_ns;
	if (!sampler.over) {
		duty_look(now);
		tacho_sources_may_start = true;
		sample(due_ns, false);
		tacho_sources_may_start = false;
	}
	leave();
	return sampler.due_ns;
}

static bool enter_started(void)
{
	begin();
	return sampler.period_ns != UINT64_MAX && enter();
}

static void sampler_woke(uint64_t until_ns)
{
	if (!enter_started())
		return;
	stop_woke(until_ns);
	leave();
}

static void sampler_stopped(uint64_t since_ns)
{
	if (!enter_started())
		return;
	stop_begins(since_ns);
	leave();
}

static void sampler_runs(void)
{
	if (!enter_started())
		return;
	stop_ends();
	leave();
}

static void sampler_end(void)
{
	int saved = errno;
	uint64_t mask;
	char text[24];

	if (tacho_process.pid != sys_pid())
		return; /* not recorded, or borrowed by a child between vfork and exec */
	begin();
	if (sampler.period_ns == UINT64_MAX)
		return;
	mask = sys_signals_block();
	if (enter()) {
		if (!sampler.over) {
			sampler.over = true;
			sample(clock_monotonic_ns(), true);
			duty_give_up();
			snprintf(text, sizeof(text), "%llu",
				(unsigned long long)(sampler.spent_ns + nvml_spent_ns()));
			process_define_property("process.sampler_ns", text);
		}
		leave();
	}
	sys_signals_restore(mask);
	errno = saved;
}

/* The process of a forked child may have used CUDA: then it has had a thread for NVML. */
const struct source tacho_counter_source = {
	.used = USED_CUDA,
	.forked = nvml_forked,
	.gpu_begins = nvml_prepare,
	.tick = sampler_tick,
	.woke = sampler_woke,
	.stopped = sampler_stopped,
	.runs = sampler_runs,
	.end = sampler_end,
};
