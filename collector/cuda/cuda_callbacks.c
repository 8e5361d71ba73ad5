/* cuda_callbacks.c - see cuda_callbacks.h; the lines of cuda_callbacks.def as tables. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_callbacks.h"

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

static void launches_leave_out(struct cuda_callback *callbacks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cuda_is_launch(callbacks[i].region))
			callbacks[i].region = REGION_NONE;
}

/*
 * CUPTI takes longer to call us, twice per launch and domain, than we work. The runtime's launches make
 * one of the driver's with the same number: the driver's callbacks are enough.
 */
const char *cuda_launches_choose(void)
{
	const char *wanted = getenv("TACHO_GPU_LAUNCHES");

	if (wanted && !strcmp(wanted, "none"))
		launches_leave_out(driver_callbacks, COUNT(driver_callbacks));
	else if (!wanted || strcmp(wanted, "driver") != 0)
		return "both";
	launches_leave_out(runtime_callbacks, COUNT(runtime_callbacks));
	return wanted;
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
