/*
 * nccl_calls.c - the wrappers of NCCL: each line of tacho/nccl_calls.def
 * expands into one, by its shape. Calls that name no communicator have their
 * bodies in nccl_objects.c and a wrapper per library here.
 */
#include "config.h"

#include "core/dlsym.h"
#include "nccl/nccl_call.h"
#include "nccl/nccl_objects.h"
#include "nccl/nccl_proxy.h"

#define SIZE	(call.member && call.member->size > 0 ? (uint64_t)call.member->size : 1)
#define NO_PEER ((int)SPOOL_NCCL_NO_PEER)

/* The return address says whose call it is, where the communicator does not. */
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

#define WRAPPER(result, name, params)                                                              \
	TACHO_EXPORT result name params;                                                           \
	result name params

#define REAL_OR_MISSING(library, name, args)                                                       \
	(NCCL_REAL(library, name) ? NCCL_REAL(library, name) args : nccl_missing())

/*
 * Counted before the real call, since the profiler plugin is called inside
 * of it; taken back where the call was refused.
 */
#define SHAPE_COLLECTIVE(name, op, params, args, count, type, times, root)                         \
	WRAPPER(int, name, params)                                                                 \
	{                                                                                          \
		struct nccl_open_call call = nccl_operation_begin(REGION_##name, comm, CALLER);    \
		uint64_t bytes = (uint64_t)(count)*nccl_type_bytes(type) * (times);                \
		bool counts = call.is_outer && call.member;                                        \
		uint32_t seq = counts ? nccl_member_ask(call.member, TRACE_OP_##op, bytes) : 0;    \
		bool sampled = counts && nccl_proxy_begin(call.member, seq);                       \
		int ret = REAL_OR_MISSING(call.nccl, name, args);                                  \
                                                                                                   \
		if (sampled)                                                                       \
			nccl_proxy_end(call.member);                                               \
		if (ret == NCCL_SUCCESS || ret == NCCL_IN_PROGRESS) {                              \
			nccl_call_end_full(&call, bytes, seq, (uint32_t)(root),                    \
				tacho_nccl_thread.group);                                          \
			return ret;                                                                \
		}                                                                                  \
		if (counts)                                                                        \
			nccl_member_unask(call.member, seq);                                       \
		nccl_call_end(&call);                                                              \
		return ret;                                                                        \
	}

#define SHAPE_MESSAGE(name, op, params, args, count, type, times, peer)                            \
	WRAPPER(int, name, params)                                                                 \
	{                                                                                          \
		struct nccl_open_call call = nccl_operation_begin(REGION_##name, comm, CALLER);    \
		uint64_t bytes = (uint64_t)(count)*nccl_type_bytes(type);                          \
		int ret = REAL_OR_MISSING(call.nccl, name, args);                                  \
                                                                                                   \
		if (ret == NCCL_SUCCESS || ret == NCCL_IN_PROGRESS)                                \
			nccl_call_end_full(&call, bytes, 0, (uint32_t)(peer),                      \
				tacho_nccl_thread.group);                                          \
		else                                                                               \
			nccl_call_end(&call);                                                      \
		return ret;                                                                        \
	}

#define SHAPE_ON_COMM(name, params, args)                                                          \
	WRAPPER(int, name, params)                                                                 \
	{                                                                                          \
		struct nccl_open_call call = nccl_call_begin(REGION_##name, comm, NULL, CALLER);   \
		int ret = REAL_OR_MISSING(call.nccl, name, args);                                  \
                                                                                                   \
		nccl_call_end(&call);                                                              \
		return ret;                                                                        \
	}

/* For programs that look it up in their own library. */
#define OF_LIBRARY(result, name, number, params, args)                                             \
	static result name##_##number params                                                       \
	{                                                                                          \
		return name##_by WITH_LIBRARY(&tacho_nccl_libraries[number], args);                \
	}

#define WITH_LIBRARY(library, args) (library WITH_REST args)
#define WITH_REST(...)		    , ##__VA_ARGS__

#define EACH_LIBRARY(result, name, params, args)                                                   \
	WRAPPER(result, name, params)                                                              \
	{                                                                                          \
		struct nccl_library *library = nccl_library_of(REGION_##name, CALLER);             \
                                                                                                   \
		return name##_by WITH_LIBRARY(library, args);                                      \
	}                                                                                          \
	OF_LIBRARY(result, name, 0, params, args)                                                  \
	OF_LIBRARY(result, name, 1, params, args)                                                  \
	OF_LIBRARY(result, name, 2, params, args)                                                  \
	OF_LIBRARY(result, name, 3, params, args)

_Static_assert(NCCL_LIBRARIES == 4, "EACH_LIBRARY has as many wrappers");

#define SHAPE_BY_LIBRARY(name, result, params, args) EACH_LIBRARY(result, name, params, args)
#define SHAPE_BY_LIBRARY_VOID(name, result)	     EACH_LIBRARY(result, name, (void), ())
#define SHAPE_IRREGULAR(name)			     /* nccl_objects.c */

#define CALL(name, role, shape, ...) SHAPE_##shape(name, ##__VA_ARGS__)
#include "tacho/nccl_calls.def"
#undef CALL

/* The wrapper by shape: the one wrapper, or that of the library. */
#define IS_COLLECTIVE(name)                                                                        \
	case REGION_##name:                                                                        \
		return (void *)&name;
#define IS_MESSAGE(name)   IS_COLLECTIVE(name)
#define IS_ON_COMM(name)   IS_COLLECTIVE(name)
#define IS_IRREGULAR(name) IS_COLLECTIVE(name)
#define IS_BY_LIBRARY(name)                                                                        \
	case REGION_##name:                                                                        \
		return number == 0    ? (void *)&name##_0                                          \
			: number == 1 ? (void *)&name##_1                                          \
			: number == 2 ? (void *)&name##_2                                          \
				      : (void *)&name##_3;
#define IS_BY_LIBRARY_VOID(name) IS_BY_LIBRARY(name)

/* The wrapper that replaces a library's function for a program that looks it up by dlsym. */
static void *nccl_wrapper(unsigned region, struct nccl_library *library)
{
	ptrdiff_t number = library - tacho_nccl_libraries;

	switch (region) {
#define CALL(name, role, shape, ...) IS_##shape(name)
#include "tacho/nccl_calls.def"
#undef CALL
	default: return NULL;
	}
}

static const struct dlsym_answer not_ours;

/*
 * Where the wrapper itself is found there may be nothing after it: then the answer is that there is
 * no such function.
 */
static struct dlsym_answer nccl_lookup(void *handle, const char *name)
{
	unsigned region = nccl_region(name);
	struct nccl_library *library;
	void *found;

	if (!region)
		return not_ours;
	found = dlsym_real(handle, name);
	if (!found)
		return not_ours; /* asked again, it says so to the program */
	library = dlsym_is_ours(found) ? nccl_library_of(region, NULL) : nccl_library_at(found);
	if (!library)
		return dlsym_is_ours(found) ? (struct dlsym_answer){ .is_final = 1 } : not_ours;
	if (!nccl_real(library, region))
		return (struct dlsym_answer){ .is_final = 1 };
	return (struct dlsym_answer){ nccl_wrapper(region, library), 1 };
}

const struct source tacho_nccl_source = { .lookup = nccl_lookup };
