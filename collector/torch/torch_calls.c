/*
 * torch_calls.c - the wrappers of libtorch: each line of tacho/torch_calls.def expands into one,
 * by its shape. Operations are posted and waited for later; the record of a post states what it is
 * about, and that of the wait which posts it completes.
 */
#include "config.h"

#include "core/burst.h"
#include "torch/torch_call.h"

/* Where the arguments of an operation lie: after the place for the result and `this`. */
#define LIST(list)   torch_list_bytes(list)
#define PARTS(parts) torch_parts_bytes(parts)
#define ONE(tensor)  torch_tensor_bytes(tensor)
#define NO_ROOT	     SPOOL_ROOT_NONE

/* The first member of the options of what has a root. */
#define ROOT(options)		  ((int32_t) * (const int64_t *)(options))
#define AT_ROOT(options, bytes)	  (ROOT(options) == group->rank ? (bytes) : 0)
#define ELSEWHERE(options, bytes) (ROOT(options) != group->rank ? (bytes) : 0)
/* ReduceOptions begin with an object: its table, its counts, the operation, what belongs to it. */
#define REDUCE_ROOT(options) ROOT((const int64_t *)(options) + (torch_counts_are_words(a) ? 5 : 4))

#define WRAPPER(name)                                                                              \
	torch_word name(torch_word place, torch_word self, torch_word a, torch_word b,             \
		torch_word c, torch_word d, torch_word e)

/*
 * Ends a post, of a group that is known: else nobody could tell who takes part. The last word of
 * its record is or has the request.
 */
static void operation_end(struct torch_call *call, unsigned type, uint64_t *payload,
	unsigned npayload, const void *work)
{
	uint32_t request = call->comm && !torch_is_composed(call) ? torch_posted(work) : 0;

	if (type == SPOOL_COLL_FULL)
		payload[npayload - 1] |= (uint64_t)request << 32;
	else
		payload[npayload - 1] = request;
	if (tacho_torch_reducing && request)
		torch_bucket_posted(&(struct torch_post){ work, request, call->span.start,
			type == SPOOL_COLL_FULL ? payload[0] : payload[1] });
	torch_end(call, request ? type : SPOOL_CALL, payload, request ? npayload : 0);
}

#define SHAPE_COLLECTIVE(name, sent, received, root)                                               \
	WRAPPER(name)                                                                              \
	{                                                                                          \
		struct torch_group *group = torch_group_find(self);                                \
		struct torch_call call = torch_begin(REGION_##name, group);                        \
		uint64_t payload[3] = { 0 };                                                       \
		torch_word ret;                                                                    \
                                                                                                   \
		if (span_is_on(&call.span)) {                                                      \
			payload[0] = (sent);                                                       \
			payload[1] = (received);                                                   \
			payload[2] = (uint32_t)(root);                                             \
		}                                                                                  \
		ret = REAL(name)(place, self, a, b, c, d, e);                                      \
		operation_end(&call, SPOOL_COLL_FULL, payload, 3, *(void *const *)place);          \
		return ret;                                                                        \
	}

/* The post of a message; `after`: what else is to be noted of its Work. */
#define MESSAGE(name, peer, tag, after)                                                            \
	WRAPPER(name)                                                                              \
	{                                                                                          \
		struct torch_call call = torch_begin(REGION_##name, torch_group_find(self));       \
		uint64_t payload[3] = { spool_pair((uint32_t)(uintptr_t)(peer),                    \
			(uint32_t)(uintptr_t)(tag)) };                                             \
		torch_word ret;                                                                    \
                                                                                                   \
		if (span_is_on(&call.span))                                                        \
			payload[1] = LIST(a);                                                      \
		ret = REAL(name)(place, self, a, b, c, d, e);                                      \
		operation_end(&call, SPOOL_P2P_LONG, payload, 3, *(void *const *)place);           \
		after;                                                                             \
		return ret;                                                                        \
	}

#define SHAPE_MESSAGE(name) MESSAGE(name, b, c, (void)0)
#define SHAPE_ANY_SOURCE(name)                                                                     \
	MESSAGE(name, SPOOL_RANK_ANY, b, torch_from_any(*(void *const *)place))

/* bool wait(milliseconds): there is no place for a result. `any`: who sent the message is known then. */
#define WAITING(name, any)                                                                         \
	torch_word name(torch_word self, torch_word a, torch_word b, torch_word c, torch_word d,   \
		torch_word e, torch_word f)                                                        \
	{                                                                                          \
		struct torch_call call = torch_begin(REGION_##name, NULL);                         \
		bool has_source = (any);                                                           \
		uint32_t request = span_is_on(&call.span) ? torch_waited(self) : 0;                \
		uint64_t done[2] = { spool_pair(request, SPOOL_BYTES_HUGE) };                      \
		torch_word ret = REAL(name)(self, a, b, c, d, e, f);                               \
                                                                                                   \
		if (has_source && request)                                                         \
			done[1] = spool_pair((uint32_t)torch_source(self),                         \
				(uint32_t)SPOOL_TAG_ANY);                                          \
		call.comm = 1; /* one completed */                                                 \
		torch_end(&call,                                                                   \
			!request	     ? SPOOL_CALL                                          \
				: has_source ? SPOOL_DONE                                          \
					     : SPOOL_DONE_SHORT,                                   \
			done, request ? 1 + has_source : 0);                                       \
		return ret;                                                                        \
	}

#define SHAPE_WAIT(name)    WAITING(name, false)
#define SHAPE_RECEIVE(name) WAITING(name, torch_is_from_any(self))

#define SHAPE_PLAIN(name)                                                                          \
	WRAPPER(name)                                                                              \
	{                                                                                          \
		struct torch_call call = torch_begin(REGION_##name, NULL);                         \
		torch_word ret = REAL(name)(place, self, a, b, c, d, e);                           \
                                                                                                   \
		torch_end(&call, SPOOL_CALL, NULL, 0);                                             \
		return ret;                                                                        \
	}

#define SHAPE_IRREGULAR(name) /* below, torch_reducer.c */

#define CALL(name, role, shape, text, operation, symbol, ...) SHAPE_##shape(name, ##__VA_ARGS__)
#include "tacho/torch_calls.def"
#undef CALL

/* The threads of a group carry out its operations; gloo's own asks the sockets. */
static void threads_know(void)
{
	burst_know(real_symbol("_ZN4c10d16ProcessGroupGloo7runLoopEi"));
	burst_know(real_symbol("_ZN4gloo9transport3tcp4Loop3runEv"));
}

/* ProcessGroupGloo(const intrusive_ptr<Store> &, int, int, intrusive_ptr<Options>) */
torch_word gloo_group(torch_word self, torch_word store, torch_word rank, torch_word size,
	torch_word options, torch_word e, torch_word f)
{
	struct torch_call call = torch_begin(REGION_gloo_group, NULL);
	torch_word ret;

	if (span_is_on(&call.span))
		threads_know();
	ret = REAL(gloo_group)(self, store, rank, size, options, e, f);
	torch_end(&call, SPOOL_CALL, NULL, 0);
	if (span_is_on(&call.span))
		torch_group_add(self, *(void *const *)store, (int)(intptr_t)rank,
			(int)(intptr_t)size);
	return ret;
}
