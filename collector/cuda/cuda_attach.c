/*
 * cuda_attach.c - begins and ends GPU tracing; see cuda_capture.h.
 *
 * The driver loads the library that CUDA_INJECTION64_PATH names when a program
 * initialises it, also one that carries a static CUDA runtime: that is this
 * library, loaded already. So a program without CUDA never gets here. Whatever
 * goes wrong is one line, and everything else is recorded as ever.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/capture.h"
#include "cuda/cuda_callbacks.h"
#include "cuda/cuda_guest.h"
#include "cuda/cuda_memory.h"
#include "cuda/cuda_sample.h"
#include "cuda/cupti_v2.h"
#include "core/helper.h"
#include "nccl/nccl.h"
#include "nvtx/nvtx.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sandbox.h"
#include "core/sys.h"
#include "core/thread.h"

#define FLUSH_NS       1000000000u /* most between two fetches: a kill loses the work since then */
#define FLUSH_LEAST_NS 100000000u
#define FLUSH_TIMES    100	   /* but no more of the time than one part in so many */
#define END_NS	       5000000000u /* how long an end waits for the last activities */
#define EXEC_NS	       2000000000u /* how long an exec does */
#define EXEC_TRIES                                                                                 \
	20 /* times a millisecond: how long buffers may be on their way then, as an exec often fails */
#define PROPERTY       "process.gpu_tracing"
#define PROPERTY_FLUSH "process.gpu_flush" /* "late": the last activities are missing */

static _Atomic uint32_t
	away; /* process that has left CUPTI to another profiler, and will be back */
static void *subscriber;
static const char *launches; /* the way that they are recorded */

/* Requests to the thread that fetches activities, and its progress. */
enum flush { FLUSH_NONE, FLUSH_END, FLUSH_ENDED, FLUSH_EXEC };
static _Atomic uint32_t flush;

/* GPU tracing does not take place: reports it, once, in the log and in the trace. */
__attribute__((format(printf, 1, 2))) static void give_up(const char *format, ...)
{
	char text[400] = "off: ";
	va_list args;

	va_start(args, format);
	vsnprintf(text + 5, sizeof(text) - 5, format, args);
	va_end(args);
	say_once(SAY_GPU, "GPUs are not recorded: %s", text + 5);
	process_define_property(PROPERTY, text);
	cuda_is_silent();
}

static void wait_for(_Atomic uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000) };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &t, NULL, 0);
}

static uint64_t force_ns(void)
{
	const char *text = getenv("TACHO_GPU_FORCE");

	return 1000000000u * (text && *text ? strtoull(text, NULL, 10) : 0);
}

/*
 * CUPTI keeps a buffer while one of its records is incomplete. A kernel that hangs keeps back the
 * records before it. A fetch by force would return these, but CUPTI then drops the record of each
 * kernel that runs: a NCCL kernel that waits long for another rank would be lost. So a fetch is forced
 * only at the end, or while a user searches for a hang (TACHO_GPU_FORCE).
 */
static bool is_stalled(uint64_t limit, uint64_t *forced)
{
	uint64_t now = clock_monotonic_ns();

	if (!limit || cuda_buffers_stalled_ns() < limit || now - *forced < limit)
		return false;
	*forced = now;
	return true;
}

/*
 * An exec takes the device's work away, unless it fails: by force is fetched only what does not come
 * without, as behind a kernel that runs.
 */
static void exec_fetch(void)
{
	tacho_cupti.ActivityFlushAll(0);
	if (!cuda_buffers_come(EXEC_TRIES)) {
		tacho_cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED);
		cuda_buffers_come(EXEC_TRIES);
	}
	atomic_store(&flush, FLUSH_NONE);
	syscall(SYS_futex, &flush, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* How long until the next fetch, after one that took so long. */
static uint64_t rest_after(uint64_t took)
{
	uint64_t rest = took * FLUSH_TIMES;

	return rest < FLUSH_LEAST_NS ? FLUSH_LEAST_NS : rest > FLUSH_NS ? FLUSH_NS : rest;
}

/*
 * Fetches activities ten times a second, or once where that takes long, before an exec, and at the end. Its own thread, as it
 * may hang in there, which must not stop the helper, nor an end.
 */
static void *fetch(void *arg)
{
	uint64_t limit = force_ns(), forced = 0, paired = 0, began, rest = FLUSH_LEAST_NS;
	uint32_t asked;

	thread_is_helper();
	pthread_setname_np(pthread_self(), "tacho-gpu");
	do {
		wait_for(&flush, FLUSH_NONE, rest);
		asked = atomic_load(&flush);
		if (!cuda_is_on() && cuda_is_away()) {
			asked = FLUSH_NONE;
			continue;
		}
		if (!cuda_is_on())
			break;		   /* another tool has CUPTI now */
		if (tacho_capture_limited) /* since a command of tacho control */
			cuda_launches_by_callbacks();
		began = clock_monotonic_ns();
		if (began - paired >= FLUSH_NS || asked != FLUSH_NONE) {
			cuda_clock_pair();
			paired = began;
		}
		if (asked == FLUSH_EXEC) {
			exec_fetch();
			asked = FLUSH_NONE;
			continue;
		}
		tacho_cupti.ActivityFlushAll(
			asked == FLUSH_END || is_stalled(limit, &forced) ? CUPTI_FLUSH_FORCED : 0);
		rest = rest_after(clock_monotonic_ns() - began);
	} while (asked == FLUSH_NONE);
	atomic_store(&flush, FLUSH_ENDED);
	syscall(SYS_futex, &flush, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	thread_helper_ends();
	return arg;
}

static int fetch_start(void)
{
	uint64_t mask = sys_signals_block();
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&thread, &attr, fetch, NULL);
	pthread_attr_destroy(&attr);
	sys_signals_restore(mask);
	return error;
}

/* Waits until the thread has done its request, and `asked` is over; false: it takes too long. */
static bool flush_wait(uint32_t asked, uint64_t limit)
{
	uint64_t until = clock_monotonic_ns() + limit, now;

	syscall(SYS_futex, &flush, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
	while (atomic_load(&flush) == asked && (now = clock_monotonic_ns()) < until)
		wait_for(&flush, asked, until - now);
	return atomic_load(&flush) != asked;
}

/* Fetches activities that are finished: an exec may fail. */
static void cuda_exec(void)
{
	uint32_t none = FLUSH_NONE;
	int saved = errno;

	if (!sandbox_is_on() && cuda_is_on() && !cuda_buffers_are_back() &&
		atomic_compare_exchange_strong(&flush, &none, FLUSH_EXEC))
		flush_wait(FLUSH_EXEC, EXEC_NS);
	errno = saved;
}

/* Fetches the last activities, within a deadline; once, for the first that ends the process. */
static void cuda_end(void)
{
	uint32_t none = FLUSH_NONE;
	int saved = errno;

	if (sandbox_is_on() || !cuda_is_on())
		return;
	cuda_sample_count();
	if (atomic_load(&flush) == FLUSH_EXEC) /* of another thread */
		flush_wait(FLUSH_EXEC, EXEC_NS);
	if (!atomic_compare_exchange_strong(&flush, &none, FLUSH_END))
		return;
	if (!flush_wait(FLUSH_END, END_NS)) {
		process_define_property(PROPERTY_FLUSH, "late");
		say_once(SAY_GPU_LATE, "CUPTI did not deliver the last GPU activities within %d s",
			(int)(END_NS / 1000000000));
	}
	errno = saved;
}

/* CUDA does not work in a forked child, and nothing of the parent's is touched. */
static void cuda_forked(void)
{
	cuda_turn(false);
	atomic_store(&away, 0);
	atomic_store(&flush, FLUSH_NONE);
	cuda_buffers_forked();
	cuda_kernels_forked();
	cuda_memory_forked();
	cuda_device_forked();
}

/*
 * One buffer for the process's threads, as before CUDA 13: with one for each a program of many
 * threads holds as many half-full ones. Ours are zero; else CUPTI zeroes them in the program's
 * threads. Before the callbacks are registered; a library that knows neither is as we want it.
 */
static void buffers_ask(void)
{
	uint8_t one = 1, none = 0;
	size_t size = sizeof(one);

	if (!tacho_cupti.ActivitySetAttribute)
		return;
	tacho_cupti.ActivitySetAttribute(ATTRIBUTE_PER_THREAD, &size, &none);
	size = sizeof(one);
	tacho_cupti.ActivitySetAttribute(ATTRIBUTE_ZEROED_OUT, &size, &one);
}

/*
 * A refusal may crash CUPTI before 12.9: it also gets buffers in a forked child, and after another
 * profiler took CUPTI.
 */
static void buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	int saved = errno;

	if (guest_has_activities())
		guest_buffer_requested(buffer, size, max_records);
	else
		cuda_buffer_give(buffer, size, max_records);
	errno = saved;
}

static void buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
	size_t valid)
{
	int saved = errno;

	if (buffer && !cuda_buffer_take_back(context, stream, buffer, valid))
		guest_buffer_completed(context, stream, buffer, size, valid);
	errno = saved;
}

/* Begins with the library in tacho_cupti. 0, or CUPTI's error. */
static int begin(void)
{
	int error = cupti_v2_subscribe(&subscriber, cuda_callback);

	if (error != CUPTI_OK)
		error = tacho_cupti.Subscribe(&subscriber, cuda_callback, NULL);
	if (error != CUPTI_OK)
		return error;
	launches = cuda_launches_choose();
	guest_start(subscriber);
	buffers_ask();
	error = tacho_cupti.ActivityRegisterCallbacks(buffer_requested, buffer_completed);
	if (error == CUPTI_OK)
		error = cuda_callbacks_enable(subscriber);
	if (error != CUPTI_OK)
		goto out;
	cuda_turn(true);
	process_define_property("process.gpu_clock", cuda_clock_start());
	cuda_hardware_ask();
	error = cuda_activities_enable();
	if (error == CUPTI_OK)
		return CUPTI_OK;
out:
	cuda_turn(false);
	cuda_activities_share(SHARE_NONE);
	tacho_cupti.Unsubscribe(subscriber);
	cupti_v2_left();
	return error;
}

/* A launch that is reported has a record, so these come first and go last. */
static void launches_turn(bool is_on)
{
	if (is_on)
		cuda_kernels_turn(true);
	cuda_calls_launches(subscriber, is_on);
	if (!is_on)
		cuda_kernels_turn(false);
}

static const struct sample_switch sample_switch = { cuda_is_on, guest_has_activities,
	launches_turn };

/* Tries the libraries that exist. */
static void attach(void)
{
	unsigned place = 0, tried = 0;
	int error = CUPTI_OK;
	char text[300];

	while (cupti_open(&place)) {
		tried++;
		error = begin();
		if (error == CUPTI_OK || error == CUPTI_BUSY)
			break;
	}
	if (!tried)
		give_up("no usable libcupti.so was found (TACHO_CUPTI=PATH names one)");
	else if (error == CUPTI_BUSY)
		give_up("another tool, such as a profiler, holds CUPTI (error %d)", error);
	else if (error != CUPTI_OK)
		give_up("CUPTI refuses (error %d: %s)%s", error, cupti_text(error),
			error == CUPTI_UNKNOWN ? ": check the driver" : "");
	if (!tried || error != CUPTI_OK)
		return;
	if (fetch_start() != 0) {
		atomic_store(&flush, FLUSH_ENDED); /* full buffers come by themselves */
		process_define_property(PROPERTY_FLUSH, "late");
		say_once(SAY_GPU_LATE,
			"no thread could be made to fetch GPU activities: the last ones will be "
			"lost");
	}
	process_define_property(PROPERTY, "on");
	if (strcmp(launches, "records") != 0)
		cuda_sample_start(&sample_switch);
	if (tacho_sample_watches)
		tacho_nccl_around = cuda_sample_nccl;
	snprintf(text, sizeof(text), "%u %s", tacho_cupti.version, tacho_cupti.path);
	process_define_property("process.cupti", text);
	process_define_property("process.gpu_subscriber",
		cupti_v2_is_on() ? "one of several" : "alone");
	process_define_property("process.gpu_launches", launches);
	if (strchr(launches, ':'))
		say_once(SAY_LAUNCHES, "launches are recorded by callbacks: %s",
			strchr(launches, ':') + 2);
	atexit(cuda_end);
}

/* The driver calls it while it initialises. 1: the injection has succeeded. */
TACHO_EXPORT int InitializeInjection(void);
TACHO_EXPORT int InitializeInjection(void)
{
	const char *wanted = getenv("TACHO_GPU");
	int saved = errno;

	process_uses(USED_CUDA);
	thread_self(REGION_cuCtxCreate); /* a process that uses CUDA belongs to the job */
	if (tacho_process.is_open && tacho_process.pid == sys_pid() && !cuda_is_on() &&
		!capture_left_out()) {
		helper_start();
		SOURCES_CALL(gpu_begins, );
		if (wanted && !strcmp(wanted, "0")) {
			process_define_property(PROPERTY, "off: TACHO_GPU=0");
			cuda_is_silent();
		} else {
			attach();
		}
	}
	errno = saved;
	return 1;
}

static bool other_is_named;

/*
 * Names this library to the driver. Where another tool is named already it
 * stays, and then GPUs are its own. Nothing else is done here: preloading
 * touches every process of a job.
 */
__attribute__((constructor)) static void announce(void)
{
	const char *named = getenv("CUDA_INJECTION64_PATH");
	Dl_info self;

	if (!getenv("TACHO_DIR"))
		return;
	nccl_announce();
	if (!dladdr((void *)&InitializeInjection, &self) || self.dli_fname[0] != '/')
		return;
	other_is_named = named && strcmp(named, self.dli_fname) != 0;
	setenv("CUDA_INJECTION64_PATH", self.dli_fname, 0);
	nvtx_announce(self.dli_fname);
}

/* Where another tool has the driver's ear, a thread searches for a driver. */
static void cuda_prepare(void)
{
	if (!other_is_named)
		return;
	process_uses(USED_CUDA);
	SOURCES_CALL(gpu_begins, );
}

/*
 * Nothing states that there is a driver when it was configured to load another tool.
 * On the thread of NVML: the loader may be busy for long.
 */
void cuda_beat(void)
{
	void *driver = other_is_named ? dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) : NULL;

	if (!driver)
		return;
	dlclose(driver);
	other_is_named = false;
	give_up("CUDA_INJECTION64_PATH names another tool");
}

bool cuda_is_away(void)
{
	return atomic_load(&away) == sys_pid();
}

/* Kinds first: CUPTI's record of the flush itself would be in one more buffer of ours. */
void cuda_detach(bool comes_back)
{
	cuda_activities_share(SHARE_NONE);
	cuda_activities_deliver();
	if (comes_back)
		atomic_store(&away, sys_pid());
	else
		atomic_store(&flush, FLUSH_ENDED);
	cuda_turn(false);
	tacho_cupti.Unsubscribe(subscriber);
	cupti_v2_left();
}

int cuda_attach_again(void)
{
	int error = begin();

	atomic_store(&away, 0);
	if (error == CUPTI_OK && !cuda_sample_is_on())
		launches_turn(false);
	return error;
}

const struct source tacho_cuda_source = {
	.used = USED_CUDA,
	.forked = cuda_forked,
	.prepare = cuda_prepare,
	.tick = cuda_sample_tick,
	.step = cuda_sample_step,
	.exec = cuda_exec,
	.end_first = cuda_end,
};
