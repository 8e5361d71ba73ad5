/*
 * export_kineto_events.c - the events of a thread or stream as torch.profiler writes them: calls and activities
 * complete at their end, with the numbers by which operators, launches and activities belong together.
 */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "export/export_json.h"
#include "export/export_kineto.h"

enum { SLICE = 1 << 14 };

static void event_open(struct kineto_export *export, const char *phase, const char *category,
	const char *name, int64_t t)
{
	json_object(&export->json, NULL, JSON_INLINE);
	json_text(&export->json, "ph", phase);
	json_text(&export->json, "cat", category);
	json_raw(&export->json, "name", name);
	json_integer(&export->json, "pid",
		export->at && export->at->device != MODEL_NONE ? export->at->ordinal : export->pid);
	json_integer(&export->json, "tid", export->tid);
	export_time(&export->json, "ts", t);
}

void kineto_slice_begin(struct kineto_export *export, const char *category, const char *name,
	int64_t from, int64_t to)
{
	event_open(export, "X", category, name, from);
	export_time(&export->json, "dur", to - from);
	json_object(&export->json, "args", JSON_INLINE);
}

void kineto_slice_end(struct kineto_export *export)
{
	json_end(&export->json);
	json_end(&export->json);
}

/* The part of it in the window; false: there is none. */
static bool clip(const struct kineto_export *export, int64_t *from, int64_t *to)
{
	const struct export_options *options = export->options;

	if (*to < options->from || *from > options->to)
		return false;
	*from = *from < options->from ? options->from : *from;
	*to = *to > options->to ? options->to : *to;
	return true;
}

/* An arrow from a launch to its activity. */
static void arrow_put(struct kineto_export *export, const char *phase, uint64_t correlation,
	int64_t t)
{
	event_open(export, phase, "ac2g", "\"ac2g\"", t);
	json_integer(&export->json, "id", (int64_t)correlation);
	if (*phase == 'f')
		json_text(&export->json, "bp", "e");
	json_end(&export->json);
}

static const char *category_of(const struct kineto_export *export, uint32_t number)
{
	const struct region *region = number == MODEL_NONE ? NULL
							   : &export->model.regions.at[number];

	if (!region)
		return "cpu_op";
	if (region->kind == KIND_CUDA)
		return strncmp(region->name, "cu", 2) == 0 &&
				isupper((unsigned char)region->name[2])
			? "cuda_driver"
			: "cuda_runtime";
	return region->mark != MARK_NONE ||
			export->archive.regions.at[number].role == OTF2_REGION_ROLE_CODE
		? "user_annotation"
		: "cpu_op";
}

static bool is_runtime(const struct kineto_export *export, uint32_t region)
{
	return region != MODEL_NONE && export->model.regions.at[region].kind == KIND_CUDA;
}

/* The operation around the call on top. */
static uint64_t external_of(const struct kineto_export *export)
{
	for (size_t i = export->calls.n; i > 0; i--)
		if (export->calls.at[i - 1].communication)
			return export->calls.at[i - 1].communication;
		else if (export->calls.at[i - 1].external)
			return export->calls.at[i - 1].external;
	return 0;
}

static void thread_enter(struct kineto_export *export, const struct event *event)
{
	struct kineto_call *call = ARRAY_ADD(&export->calls);
	uint64_t correlation = 0, external;

	if (!call)
		return;
	*call = (struct kineto_call){ .region = model_region(&export->model, event->ref),
		.start = event->t };
	export_notes_clear(&call->notes);
	if (!is_runtime(export, call->region))
		call->external = ++export->nexternal;
	kineto_operation_read(export, event, &call->operation);
	if (call->external && kineto_operation_title(&call->operation))
		call->communication = ++export->nexternal;
	event_number(event, export->model.attributes[ATTRIBUTE_CORRELATION], &correlation);
	call->correlation = correlation;
	external = external_of(export);
	if (correlation && external && external < IDMAP_NONE)
		idmap_set(&export->externals, idmap_key(correlation), (uint32_t)external);
}

static void step_name(struct kineto_export *export, const struct kineto_call *call, char *to,
	size_t size)
{
	snprintf(to, size, "\"ProfilerStep#%" PRId64 "\"",
		call->notes.step >= 0 ? call->notes.step : export->nsteps);
	export->nsteps++;
}

/* The operator of torch.distributed that makes such a call; TensorBoard finds communication by it. */
static void communication_put(struct kineto_export *export, const struct kineto_call *call,
	int64_t start, int64_t end)
{
	char size[32];

	kineto_slice_begin(export, "cpu_op", kineto_operation_title(&call->operation), start, end);
	json_integer(&export->json, "External id", (int64_t)call->communication);
	if (call->operation.has_bytes) {
		snprintf(size, sizeof(size), "[[%" PRIu64 "]]", call->operation.bytes);
		json_raw(&export->json, "Input Dims", size);
		json_raw(&export->json, "Input type", "[\"unsigned char\"]");
	}
	kineto_slice_end(export);
}

static void call_put(struct kineto_export *export, const struct kineto_call *call, int64_t end)
{
	bool is_step = call->region != MODEL_NONE &&
		export->model.regions.at[call->region].mark == MARK_STEP;
	const char *name = call->region == MODEL_NONE || !export->names[call->region]
		? "\"(unknown)\""
		: export->names[call->region];
	int64_t start = call->start;
	char step[48];

	if (is_step)
		step_name(export, call, step, sizeof(step));
	if (!clip(export, &start, &end))
		return;
	if (call->communication)
		communication_put(export, call, start, end);
	kineto_slice_begin(export, category_of(export, call->region), is_step ? step : name, start,
		end);
	json_integer(&export->json, "External id",
		(int64_t)(call->external ? call->external : external_of(export)));
	if (call->correlation)
		json_integer(&export->json, "correlation", (int64_t)call->correlation);
	export_notes_members(&call->notes, &export->model, &export->json);
	kineto_slice_end(export);
	if (call->correlation)
		arrow_put(export, "s", call->correlation, start);
}

/* Also ends inner regions without an end in the trace. */
static void thread_leave(struct kineto_export *export, const struct event *event)
{
	uint32_t region = model_region(&export->model, event->ref);
	size_t depth = export->calls.n;

	while (depth && export->calls.at[depth - 1].region != region)
		depth--;
	while (depth && export->calls.n >= depth) {
		struct kineto_call call = export->calls.at[--export->calls.n];

		call_put(export, &call, event->t);
	}
}

static void thread_take(struct kineto_export *export, const struct event *event)
{
	struct kineto_call *top;

	if (event->kind == EVENT_ENTER)
		thread_enter(export, event);
	else if (event->kind == EVENT_LEAVE)
		thread_leave(export, event);
	else if (export->calls.n) {
		top = &export->calls.at[export->calls.n - 1];
		if (event->kind != EVENT_PARAMETER ||
			(top->region != MODEL_NONE &&
				export->model.regions.at[top->region].mark == MARK_STEP))
			export_notes_take(&top->notes, &export->model, export->at->process, event);
	}
}

static void activity_put(struct kineto_export *export, const struct kineto_activity *activity,
	int64_t end)
{
	const struct region *region = activity->region == MODEL_NONE
		? NULL
		: &export->model.regions.at[activity->region];
	bool is_copy = !region || region->activity == ACTIVITY_MEMCPY;
	const char *name = region ? export->names[activity->region] : NULL;
	uint32_t external = idmap_find(&export->externals, idmap_key(activity->correlation));
	int64_t start = activity->start;
	char copy[96] = "";

	if (!clip(export, &start, &end) || (region && region->activity == ACTIVITY_NONE))
		return;
	if (is_copy && (!region || strncmp(region->name, "Mem", 3) != 0))
		kineto_copy_name(&activity->operation, copy, sizeof(copy));
	kineto_slice_begin(export,
		!is_copy ? "kernel"
			: (activity->operation.op &&
				  strcmp(activity->operation.op, "memset") == 0) ||
				(region && strncmp(region->name, "Memset", 6) == 0)
			? "gpu_memset"
			: "gpu_memcpy",
		*copy	       ? copy
			: name ? name
			       : "\"Memcpy\"",
		start, end);
	json_integer(&export->json, "External id",
		activity->correlation && external != IDMAP_NONE ? external : 0);
	json_integer(&export->json, "device", export->at->ordinal);
	json_integer(&export->json, "stream", (int64_t) export->at->stream);
	if (activity->correlation)
		json_integer(&export->json, "correlation", (int64_t)activity->correlation);
	kineto_operation_put(export, &activity->operation, end - start);
	kineto_slice_end(export);
	if (activity->correlation)
		arrow_put(export, "f", activity->correlation, start);
}

static void activity_end(struct kineto_export *export, size_t number, int64_t t)
{
	struct kineto_activity activity = export->activities.at[number];

	memmove(&export->activities.at[number], &export->activities.at[number + 1],
		(--export->activities.n - number) * sizeof(activity));
	activity_put(export, &activity, t);
}

static void stream_take(struct kineto_export *export, const struct event *event)
{
	bool begins = event->kind == EVENT_ENTER || event->kind == EVENT_RMA_BEGIN;
	uint32_t region = event->kind == EVENT_ENTER || event->kind == EVENT_LEAVE
		? model_region(&export->model, event->ref)
		: MODEL_NONE;
	struct kineto_activity *activity;

	if (begins) {
		activity = ARRAY_ADD(&export->activities);
		if (!activity)
			return;
		*activity = (struct kineto_activity){ .region = region, .start = event->t };
		event_number(event, export->model.attributes[ATTRIBUTE_CORRELATION],
			&activity->correlation);
		kineto_operation_read(export, event, &activity->operation);
	} else if (event->kind == EVENT_LEAVE || event->kind == EVENT_RMA_END) {
		for (size_t i = export->activities.n; i > 0; i--)
			if (export->activities.at[i - 1].region == region) {
				activity_end(export, i - 1, event->t);
				break;
			}
	}
}

static bool take(void *user, const struct event *event)
{
	struct kineto_export *export = user;

	export->last = event->t;
	if (event->t > export->options->to)
		return false;
	if (export->at->device != MODEL_NONE)
		stream_take(export, event);
	else
		thread_take(export, event);
	return !ferror(export->json.out);
}

/* All that is still open ends with the location. */
static void location_close(struct kineto_export *export)
{
	while (export->calls.n) {
		struct kineto_call call = export->calls.at[--export->calls.n];

		call_put(export, &call, export->last);
	}
	while (export->activities.n)
		activity_end(export, 0, export->last);
}

int kineto_location_put(struct kineto_export *export, const struct location *at, int64_t tid)
{
	struct cursor cursor;

	export->at = at;
	export->tid = tid;
	export->nsteps = 0;
	cursor_open(&cursor, &export->archive, at->in, take, export);
	export->last = cursor.ended ? 0 : cursor.last;
	while (!cursor.ended && !cursor.stopped)
		cursor_run(&cursor, SLICE);
	location_close(export);
	if (cursor.damage)
		log_warn("location %" PRIu64 " (%s) is damaged: %s", at->in->ref, at->in->name,
			cursor.damage);
	cursor_close(&cursor);
	export->at = NULL;
	return ferror(export->json.out) ? -1 : 0;
}
