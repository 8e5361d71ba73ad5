/*
 * otf2_event.c - see otf2_in.h. Events: what libotf2 delivers becomes a struct event, kind by kind;
 * attributes.
 */
#include "config.h"

#include "otf2/otf2_in.h"
#include "otf2/otf2_records.h"

bool event_attribute(const struct event *event, uint32_t i, struct in_value *value)
{
	if (event->nown) {
		if (i < event->nown)
			*value = event->own[i];
		return i < event->nown;
	}
	return event->attributes && i < OTF2_AttributeList_GetNumberOfElements(event->attributes) &&
		OTF2_AttributeList_GetAttributeByIndex(event->attributes, i, &value->ref,
			&value->type, &value->value) == OTF2_SUCCESS;
}

/*
 * The attribute `ref`, NULL when the event does not carry it; what libotf2 has read is put into
 * *value.
 */
static const struct in_value *value_find(const struct event *event, OTF2_AttributeRef ref,
	struct in_value *value)
{
	if (ref == OTF2_UNDEFINED_ATTRIBUTE)
		return NULL;
	for (uint32_t i = 0; i < event->nown; i++)
		if (event->own[i].ref == ref)
			return &event->own[i];
	return event->attributes &&
			OTF2_AttributeList_GetAttributeByID(event->attributes, ref, &value->type,
				&value->value) == OTF2_SUCCESS
		? value
		: NULL;
}

bool event_number_find(const struct event *event, OTF2_AttributeRef ref, uint64_t *value)
{
	struct in_value place;
	const struct in_value *found = value_find(event, ref, &place);

	if (!found)
		return false;
	switch (found->type) {
	case OTF2_TYPE_UINT8: *value = found->value.uint8; return true;
	case OTF2_TYPE_UINT16: *value = found->value.uint16; return true;
	case OTF2_TYPE_UINT32: *value = found->value.uint32; return true;
	case OTF2_TYPE_UINT64: *value = found->value.uint64; return true;
	case OTF2_TYPE_INT64: *value = (uint64_t)found->value.int64; return found->value.int64 >= 0;
	default: return false;
	}
}

const char *event_text(const struct archive *archive, const struct event *event,
	OTF2_AttributeRef ref)
{
	struct in_value place;
	const struct in_value *found = event->carried & event_bit(ref)
		? value_find(event, ref, &place)
		: NULL;
	uint32_t number;

	if (!found || found->type != OTF2_TYPE_STRING)
		return NULL;
	number = idmap_find(&archive->strings.map, found->value.stringRef);
	return number == IDMAP_NONE ? NULL : archive->strings.at[number];
}

static OTF2_CallbackCode deliver(void *user, OTF2_TimeStamp ticks, OTF2_AttributeList *attributes,
	struct event *event)
{
	struct cursor *cursor = user;

	event->t = ticks_ns(cursor->archive, ticks);
	event->attributes = attributes;
	event->carried = attributes ? UINT64_MAX : 0;
	return cursor_deliver(cursor, event) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

/*
 * ON(what, kind, (parameters after the attribute list), fields of struct event):
 * each kind of record becomes a struct event.
 */
#define EVENTS(ON)                                                                                 \
	ON(Enter, ENTER, (OTF2_RegionRef region), .ref = region)                                   \
	ON(Leave, LEAVE, (OTF2_RegionRef region), .ref = region)                                   \
	ON(MpiSend, SEND, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes),        \
		.peer = peer, .ref = comm, .tag = tag, .bytes = bytes)                             \
	ON(MpiIsend, ISEND,                                                                        \
		(uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,                   \
			uint64_t request),                                                         \
		.peer = peer, .ref = comm, .tag = tag, .bytes = bytes, .request = request)         \
	ON(MpiIsendComplete, ISEND_COMPLETE, (uint64_t request), .request = request)               \
	ON(MpiRecv, RECV, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes),        \
		.peer = peer, .ref = comm, .tag = tag, .bytes = bytes)                             \
	ON(MpiIrecvRequest, IRECV_REQUEST, (uint64_t request), .request = request)                 \
	ON(MpiIrecv, IRECV,                                                                        \
		(uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,                   \
			uint64_t request),                                                         \
		.peer = peer, .ref = comm, .tag = tag, .bytes = bytes, .request = request)         \
	ON(MpiRequestTest, REQUEST_TEST, (uint64_t request), .request = request)                   \
	ON(MpiRequestCancelled, REQUEST_CANCELLED, (uint64_t request), .request = request)         \
	ON(MpiCollectiveEnd, COLLECTIVE_END,                                                       \
		(OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent,            \
			uint64_t received),                                                        \
		.tag = op, .ref = comm, .peer = root, .bytes = sent, .received = received)         \
	ON(NonBlockingCollectiveRequest, COLLECTIVE_REQUEST, (uint64_t request),                   \
		.request = request)                                                                \
	ON(NonBlockingCollectiveComplete, COLLECTIVE_COMPLETE,                                     \
		(OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent,            \
			uint64_t received, uint64_t request),                                      \
		.tag = op, .ref = comm, .peer = root, .bytes = sent, .received = received,         \
		.request = request)                                                                \
	ON(IoCreateHandle, IO_CREATE,                                                              \
		(OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,    \
			OTF2_IoStatusFlag status),                                                 \
		.ref = handle, .tag = mode, .bytes = creation, .received = status)                 \
	ON(IoDestroyHandle, IO_DESTROY, (OTF2_IoHandleRef handle), .ref = handle)                  \
	ON(IoSeek, IO_SEEK,                                                                        \
		(OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence,                \
			uint64_t result),                                                          \
		.ref = handle, .bytes = result, .received = (uint64_t)offset, .tag = whence)       \
	ON(IoOperationBegin, IO_BEGIN,                                                             \
		(OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,   \
			uint64_t bytes, uint64_t matching),                                        \
		.ref = handle, .tag = mode, .bytes = bytes, .request = matching,                   \
		.received = flags)                                                                 \
	ON(IoOperationComplete, IO_COMPLETE,                                                       \
		(OTF2_IoHandleRef handle, uint64_t bytes, uint64_t matching), .ref = handle,       \
		.bytes = bytes, .request = matching)                                               \
	ON(MeasurementOnOff, MEASUREMENT, (OTF2_MeasurementMode mode),                             \
		.bytes = mode == OTF2_MEASUREMENT_ON)                                              \
	ON(RmaSync, RMA_SYNC, (OTF2_RmaWinRef window, uint32_t peer, OTF2_RmaSyncType type),       \
		.ref = window, .peer = peer, .tag = type)                                          \
	ON(RmaPut, RMA_BEGIN,                                                                      \
		(OTF2_RmaWinRef window, uint32_t peer, uint64_t bytes, uint64_t matching),         \
		.ref = window, .peer = peer, .bytes = bytes, .request = matching, .tag = true)     \
	ON(RmaGet, RMA_BEGIN,                                                                      \
		(OTF2_RmaWinRef window, uint32_t peer, uint64_t bytes, uint64_t matching),         \
		.ref = window, .peer = peer, .bytes = bytes, .request = matching)                  \
	ON(RmaAtomic, RMA_ATOMIC,                                                                  \
		(OTF2_RmaWinRef window, uint32_t peer, OTF2_RmaAtomicType type, uint64_t sent,     \
			uint64_t received, uint64_t matching),                                     \
		.ref = window, .peer = peer, .tag = type, .bytes = sent, .received = received,     \
		.request = matching)                                                               \
	ON(RmaOpCompleteBlocking, RMA_END, (OTF2_RmaWinRef window, uint64_t matching),             \
		.ref = window, .request = matching)                                                \
	ON(ParameterUnsignedInt, PARAMETER, (OTF2_ParameterRef parameter, uint64_t value),         \
		.ref = parameter, .bytes = value)

#define UNWRAP(...) __VA_ARGS__
#define ON(what, event_kind, params, ...)                                                          \
	static OTF2_CallbackCode on_##what(OTF2_LocationRef location, OTF2_TimeStamp time,         \
		uint64_t position, void *user, OTF2_AttributeList *attributes, UNWRAP params)      \
	{                                                                                          \
		struct event event = { .kind = EVENT_##event_kind, __VA_ARGS__ };                  \
                                                                                                   \
		(void)location, (void)position;                                                    \
		return deliver(user, time, attributes, &event);                                    \
	}
EVENTS(ON)
#undef ON

/* Records that only prove that the location lived then. */
static OTF2_CallbackCode on_other(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *attributes)
{
	struct event event = { .kind = EVENT_OTHER };

	(void)location, (void)position;
	return deliver(user, time, attributes, &event);
}

/*
 * Tools that unwind the stack report the whole path to a region that is entered or left. Regions
 * between it and the last one were not instrumented, and their begin is unknown.
 */
static OTF2_CallbackCode context_deliver(void *user, OTF2_TimeStamp time,
	OTF2_AttributeList *attributes, enum event_kind kind, OTF2_CallingContextRef context)
{
	const struct archive *archive = ((struct cursor *)user)->archive;
	uint32_t at = idmap_find(&archive->contexts.map, context);
	struct event event = { .kind = kind,
		.ref = at == IDMAP_NONE ? OTF2_UNDEFINED_REGION : archive->contexts.at[at].region };

	return deliver(user, time, attributes, &event);
}

static OTF2_CallbackCode on_context_enter(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes,
	OTF2_CallingContextRef context, uint32_t distance)
{
	(void)location, (void)position, (void)distance;
	return context_deliver(user, time, attributes, EVENT_ENTER, context);
}

static OTF2_CallbackCode on_context_leave(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes,
	OTF2_CallingContextRef context)
{
	(void)location, (void)position;
	return context_deliver(user, time, attributes, EVENT_LEAVE, context);
}

/* A fence, or the making of a window: a collective of the window's communicator. */
static OTF2_CallbackCode on_rma_collective(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
	OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
	uint64_t received)
{
	const struct archive *archive = ((struct cursor *)user)->archive;
	uint32_t at = idmap_find(&archive->windows.map, window);
	struct event event = { .kind = EVENT_COLLECTIVE_END,
		.tag = op,
		.peer = root,
		.bytes = sent,
		.received = received,
		.ref = at == IDMAP_NONE ? OTF2_UNDEFINED_UINT64 : archive->windows.at[at].comm };

	(void)location, (void)position, (void)level;
	return deliver(user, time, attributes, &event);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define OTHER(what, ...)                                                                           \
	static OTF2_CallbackCode other_##what(OTF2_LocationRef location, OTF2_TimeStamp time,      \
		uint64_t position, void *user,                                                     \
		OTF2_AttributeList *attributes __VA_OPT__(, ) __VA_ARGS__)                         \
	{                                                                                          \
		return on_other(location, time, position, user, attributes);                       \
	}
#include "otf2/otf2_others.def"
#undef OTHER
#pragma GCC diagnostic pop

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes, OTF2_MetricRef metric,
	uint8_t n, const OTF2_Type *types, const OTF2_MetricValue *values)
{
	struct event event = { .kind = EVENT_METRIC,
		.ref = metric,
		.tag = n,
		.types = types,
		.values = values };

	(void)location, (void)position;
	return deliver(user, time, attributes, &event);
}

static OTF2_CallbackCode on_program_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes, OTF2_StringRef name,
	uint32_t n, const OTF2_StringRef *arguments)
{
	(void)name, (void)n, (void)arguments;
	return on_other(location, time, position, user, attributes);
}

static OTF2_CallbackCode on_program_end(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *attributes, int64_t status)
{
	(void)status;
	return on_other(location, time, position, user, attributes);
}

OTF2_EvtReaderCallbacks *event_callbacks_new(void)
{
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

	if (!callbacks)
		return NULL;
#define ON(what, ...) OTF2_EvtReaderCallbacks_Set##what##Callback(callbacks, on_##what);
	EVENTS(ON)
#undef ON
#define OTHER(what, ...) OTF2_EvtReaderCallbacks_Set##what##Callback(callbacks, other_##what);
#include "otf2/otf2_others.def"
#undef OTHER
	OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, on_other);
	OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(callbacks, on_context_enter);
	OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(callbacks, on_context_leave);
	OTF2_EvtReaderCallbacks_SetMetricCallback(callbacks, on_metric);
	OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(callbacks, on_rma_collective);
	OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_other);
	OTF2_EvtReaderCallbacks_SetProgramBeginCallback(callbacks, on_program_begin);
	OTF2_EvtReaderCallbacks_SetProgramEndCallback(callbacks, on_program_end);
	return callbacks;
}
