/* cuda_callbacks.c - see cuda_callbacks.h; the lines of cuda_callbacks.def as tables. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/capture.h"
#include "cuda/cuda_callbacks.h"
#include "cuda/cupti_v2.h"

#define AT(field, offset) (offset)

/* "…_ptsz" and "…_ptds": compiled for per-thread default streams */
#define IS_PER_THREAD(name) (sizeof(name) > 6 && __builtin_strstr(name, "_pt") != NULL)

#define DRIVER(...)
#define RUNTIME(...) __VA_ARGS__
#define REMOVED	     CALLBACK
#define CALLBACK(domain, call, callback, number, stream, word)                                     \
	domain([number] = { REGION_##call, stream, word, IS_PER_THREAD(#callback) }, )
static struct cuda_callback runtime_callbacks[] = {
#include "cuda/cuda_callbacks.def"
};
#undef DRIVER
#undef RUNTIME

#define DRIVER(...) __VA_ARGS__
#define RUNTIME(...)
static struct cuda_callback driver_callbacks[] = {
#include "cuda/cuda_callbacks.def"
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const uint8_t resources[] = { RESOURCE_CONTEXT_CREATED, RESOURCE_CONTEXT_DESTROYED,
	RESOURCE_STREAM_DESTROYED };
static const uint8_t graphs[] = { RESOURCE_NODE_CREATED, RESOURCE_NODE_CLONED,
	RESOURCE_EXEC_CREATED };

bool tacho_launch_records;

static void *subscribed;	       /* who gets callbacks */
static _Atomic uint64_t records_ended; /* ticks: callbacks since then; 0: they have not */

static void launches_leave_out(struct cuda_callback *callbacks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cuda_is_launch(callbacks[i].region))
			callbacks[i].region = REGION_NONE;
}

static void launches_move(struct cuda_callback *callbacks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cuda_is_launch(callbacks[i].region)) {
			callbacks[i].by_record = callbacks[i].region;
			callbacks[i].region = REGION_NONE;
		}
}

/*
 * Records of single calls come with CUDA 12.6, here of the only subscriber. They come late: a
 * capture window needs the launches themselves.
 */
static bool records_are_possible(void)
{
	return tacho_cupti.ActivityEnableRuntimeApi && tacho_cupti.ActivityEnableDriverApi &&
		tacho_cupti.SetThreadIdType && !cupti_v2_is_on() && !tacho_capture_limited &&
		tacho_cupti.SetThreadIdType(CUPTI_THREAD_SYSTEM) == CUPTI_OK;
}

/*
 * CUPTI takes longer to call us, twice per launch and domain, than we work. The runtime's launches make
 * one of the driver's with the same number: the driver's callbacks are enough.
 */
const char *cuda_launches_choose(void)
{
	static const char *chosen;
	const char *wanted = getenv("TACHO_GPU_LAUNCHES");

	if (chosen)
		return chosen;
	chosen = "both";
	if (wanted && !strcmp(wanted, "records")) {
		if (!records_are_possible())
			return "both: CUPTI has no records of launches here";
		launches_move(driver_callbacks, COUNT(driver_callbacks));
		launches_move(runtime_callbacks, COUNT(runtime_callbacks));
		tacho_launch_records = true;
		return chosen = "records";
	}
	if (wanted && !strcmp(wanted, "none"))
		launches_leave_out(driver_callbacks, COUNT(driver_callbacks));
	else if (!wanted || strcmp(wanted, "driver") != 0)
		return chosen;
	launches_leave_out(runtime_callbacks, COUNT(runtime_callbacks));
	return chosen = wanted;
}

static void records_turn(struct cuda_callback *callbacks, size_t n, int domain, bool on)
{
	int error;

	for (uint32_t i = 0; i < n; i++) {
		if (!callbacks[i].by_record)
			continue;
		error = domain == DOMAIN_RUNTIME ? tacho_cupti.ActivityEnableRuntimeApi(i, on)
						 : tacho_cupti.ActivityEnableDriverApi(i, on);
		/* a call that CUPTI refuses records for keeps its callback */
		callbacks[i].region = on && error == CUPTI_OK ? REGION_NONE
							      : callbacks[i].by_record;
		if (!on)
			tacho_cupti.EnableCallback(1, subscribed, domain, i);
	}
}

static void records_turn_all(bool on)
{
	records_turn(runtime_callbacks, COUNT(runtime_callbacks), DOMAIN_RUNTIME, on);
	records_turn(driver_callbacks, COUNT(driver_callbacks), DOMAIN_DRIVER, on);
}

/* The numbers stay: records that CUPTI has yet come later. */
void cuda_launches_by_callbacks(void)
{
	uint64_t none = 0;

	if (tacho_launch_records &&
		atomic_compare_exchange_strong(&records_ended, &none, clock_ticks()))
		records_turn_all(false);
}

unsigned cuda_launch_by_record(int domain, uint32_t number, uint64_t start)
{
	const struct cuda_callback *callback = cuda_callback_of(domain, number);
	uint64_t ended = atomic_load_explicit(&records_ended, memory_order_relaxed);

	return callback && (!ended || start < ended) ? callback->by_record : REGION_NONE;
}

const struct cuda_callback *cuda_callback_of(int domain, uint32_t number)
{
	if (domain == DOMAIN_RUNTIME)
		return number < COUNT(runtime_callbacks) ? &runtime_callbacks[number] : NULL;
	return domain == DOMAIN_DRIVER && number < COUNT(driver_callbacks)
		? &driver_callbacks[number]
		: NULL;
}

bool cuda_callback_is_ours(int domain, uint32_t number)
{
	const struct cuda_callback *callback = cuda_callback_of(domain, number);

	return (callback && callback->region) ||
		(domain == DOMAIN_RESOURCE &&
			(memchr(resources, (int)number, sizeof(resources)) ||
				memchr(graphs, (int)number, sizeof(graphs))));
}

int cuda_callbacks_enable(void *subscriber)
{
	int error = CUPTI_OK;

	subscribed = subscriber;
	if (tacho_launch_records && !atomic_load(&records_ended))
		records_turn_all(true);
	/* numbers that an older library does not know yet are refused, which is fine */
	for (uint32_t i = 0; i < COUNT(runtime_callbacks); i++)
		if (runtime_callbacks[i].region)
			tacho_cupti.EnableCallback(1, subscriber, DOMAIN_RUNTIME, i);
	for (uint32_t i = 0; i < COUNT(driver_callbacks); i++)
		if (driver_callbacks[i].region)
			tacho_cupti.EnableCallback(1, subscriber, DOMAIN_DRIVER, i);
	for (size_t i = 0; i < COUNT(resources) && error == CUPTI_OK; i++)
		error = tacho_cupti.EnableCallback(1, subscriber, DOMAIN_RESOURCE, resources[i]);
	/* without them kernels of graphs have no operation of NCCL's */
	for (size_t i = 0; i < COUNT(graphs) && tacho_cupti.version >= CUPTI_VERSION_NODES; i++)
		tacho_cupti.EnableCallback(1, subscriber, DOMAIN_RESOURCE, graphs[i]);
	return error;
}
