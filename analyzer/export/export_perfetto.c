/*
 * export_perfetto.c - see export.h: an archive as JSON trace events, location by location. Every
 * event is written as soon as it is known; times are microseconds with three decimals.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/export_file.h"
#include "export/export_flows.h"
#include "export/export_json.h"
#include "export/export_marks.h"
#include "export/export_names.h"
#include "export/export_notes.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "model/model.h"
#include "otf2/otf2_in.h"

enum {
	SLICE = 1 << 14,
	LANES = 8,	      /* tracks of a stream with overlapping activities */
	DEVICE_PID = 1 << 20, /* first number for tracks of devices, above all processes */
	NODE_PID = 1 << 24,   /* first number for tracks of nodes */
	LANE_TID = 1 << 24,   /* first number of the further lanes */
};

struct open_activity {
	uint32_t region;
	int64_t start;
	char *args;
	bool launched, communicates;
	uint64_t launch;
	struct export_flow flow;
};

struct export
{
	const struct export_options *options;
	struct json json;
	struct archive archive;
	struct model model;
	char **names; /* of regions, as JSON */
	/* of the present location */
	const struct location *at;
	int64_t pid, tid, last;
	bool begun, beyond; /* the window has begun for it, has ended before it */
	ARRAY_OF(struct open_call {
		uint32_t region;
		int64_t start;
		struct export_notes notes;
	})
	stack;
	/* by member of the archive: the last value of a counter that grows */
	ARRAY_OF(struct series {
		double value;
		int64_t t;
		bool known;
	})
	series;
	ARRAY_OF(uint32_t) nodes; /* that have a name */
	ARRAY_OF(struct open_activity) open;
	int64_t lane_end[LANES];
	bool lane_named[LANES];
	uint64_t crossing;     /* activities without a lane, numbered */
	struct idmap channels; /* messages of each channel, by the channel's hash */
	struct export_flows flows;
};

static const char *region_name(const struct export *export, uint32_t region)
{
	return region == MODEL_NONE || !export->names[region] ? "\"(unknown)\""
							      : export->names[region];
}

static void event_open(struct export *export, char phase, int64_t tid)
{
	json_object(&export->json, NULL, JSON_INLINE);
	json_text(&export->json, "ph", (const char[]){ phase, '\0' });
	json_integer(&export->json, "pid", export->pid);
	json_integer(&export->json, "tid", tid);
}

static void metadata_put(struct export *export, const char *what, int64_t tid, const char *name)
{
	char *text = export_name(name);

	event_open(export, 'M', tid);
	json_text(&export->json, "name", what);
	json_object(&export->json, "args", JSON_INLINE);
	json_raw(&export->json, "name", text ? text : "\"?\"");
	json_end(&export->json);
	json_end(&export->json);
	free(text);
}

static void sort_put(struct export *export, const char *what, int64_t tid, int64_t index)
{
	event_open(export, 'M', tid);
	json_text(&export->json, "name", what);
	json_object(&export->json, "args", JSON_INLINE);
	json_integer(&export->json, "sort_index", index);
	json_end(&export->json);
	json_end(&export->json);
}

static bool in_window(const struct export *export, int64_t t)
{
	return t >= export->options->from && t <= export->options->to;
}

static void slice_open(struct export *export, char phase, uint32_t region, int64_t t)
{
	event_open(export, phase, export->tid);
	export_time(&export->json, "ts", t);
	json_text(&export->json, "cat",
		region == MODEL_NONE ? "user"
				     : region_kind_names[export->model.regions.at[region].kind]);
	json_raw(&export->json, "name", region_name(export, region));
}

static void slice_begin(struct export *export, uint32_t region, int64_t t,
	const struct event *event)
{
	char *args = export_args(&export->archive, event);

	slice_open(export, 'B', region, t);
	if (args)
		json_raw(&export->json, "args", args);
	json_end(&export->json);
	free(args);
}

/* Chrome's developer tools read the name of ends as well. */
static void slice_end(struct export *export, const struct open_call *call, int64_t t)
{
	slice_open(export, 'E', call->region, t);
	export_notes_put(&call->notes, &export->model, &export->json);
	json_end(&export->json);
}

/* An arrow's end: `s` leaves, `f` arrives. */
static void flow_put(struct export *export, char phase, const char *kind, uint64_t id, int64_t tid,
	int64_t t)
{
	char number[32];

	if (!in_window(export, t))
		return;
	snprintf(number, sizeof(number), "%016" PRIx64, id);
	event_open(export, phase, tid);
	export_time(&export->json, "ts", t);
	json_text(&export->json, "cat", kind);
	json_text(&export->json, "name", kind);
	json_text(&export->json, "id", number);
	if (phase == 'f')
		json_text(&export->json, "bp", "e");
	json_end(&export->json);
}

/* The k-th message of a channel has the same number at both of its ends. */
static void message_put(struct export *export, const struct event *event, bool sent)
{
	uint32_t comm = model_comm(&export->model, event->ref), self = export->at->process, peer, n;
	uint64_t channel;

	if (comm == MODEL_NONE || self == MODEL_NONE)
		return;
	peer = model_peer(&export->model, comm, self, event->peer);
	if (peer == MODEL_NONE)
		return;
	channel = hash_mix(hash_mix((uint64_t)comm << 32 | event->tag,
				   (uint64_t)(sent ? self : peer) << 32 | (sent ? peer : self)),
		1);
	n = idmap_find(&export->channels, channel ^ (sent ? 0 : 1));
	n = n == IDMAP_NONE ? 0 : n;
	if (idmap_set(&export->channels, channel ^ (sent ? 0 : 1), n + 1) == 0)
		flow_put(export, sent ? 's' : 'f', "message", hash_mix(channel, n), export->tid,
			event->t);
}

static uint64_t launch_number(const struct export *export, uint64_t correlation)
{
	return hash_mix((uint64_t) export->at->process << 32 | 0xc0de, correlation);
}

/* What was open when the window began is shown from then on. */
static void window_begin(struct export *export, const struct event *event)
{
	int64_t from = export->options->from;

	if (export->begun || export->at->device != MODEL_NONE || event->t < from ||
		(event->t == from && event->kind == EVENT_LEAVE))
		return;
	export->begun = true;
	for (size_t i = 0; i < export->stack.n; i++)
		slice_begin(export, export->stack.at[i].region, export->options->from, NULL);
}

static void thread_enter(struct export *export, const struct event *event)
{
	struct open_call *top = ARRAY_ADD(&export->stack);
	uint64_t correlation;

	if (!top)
		return;
	top->region = model_region(&export->model, event->ref);
	top->start = event->t;
	export_notes_clear(&top->notes);
	if (!export->begun)
		return;
	slice_begin(export, top->region, event->t, event);
	if (event_number(event, export->model.attributes[ATTRIBUTE_CORRELATION], &correlation))
		flow_put(export, 's', "launch", launch_number(export, correlation), export->tid,
			event->t);
}

/* Also ends inner regions without an end in the trace. */
static void thread_leave(struct export *export, const struct event *event)
{
	uint32_t region = model_region(&export->model, event->ref);
	size_t depth = export->stack.n;

	while (depth && export->stack.at[depth - 1].region != region)
		depth--;
	for (; depth && export->stack.n >= depth; export->stack.n--)
		if (export->begun)
			slice_end(export, &export->stack.at[export->stack.n - 1], event->t);
}

static void lane_name(struct export *export, int lane, int64_t tid)
{
	char stream[256], *name;

	if (export->lane_named[lane])
		return;
	export->lane_named[lane] = true;
	export_stream_name(export->at->in->name, stream, sizeof(stream));
	if (asprintf(&name, lane ? "%s (%d)" : "%s", stream, lane + 1) < 0)
		return;
	metadata_put(export, "thread_name", tid, name);
	sort_put(export, "thread_sort_index", tid, export->tid * LANES + lane);
	free(name);
}

/* An activity on an asynchronous track: those may cross. */
static void crossing_put(struct export *export, const char *name, const char *args, int64_t start,
	int64_t stop)
{
	char id[96];

	snprintf(id, sizeof(id), "%" PRId64 ".%" PRId64 ".%" PRIu64, export->pid, export->tid,
		export->crossing);
	for (int end = 0; end < 2; end++) {
		event_open(export, end ? 'e' : 'b', export->tid);
		export_time(&export->json, "ts", end ? stop : start);
		json_text(&export->json, "cat", "device");
		json_text(&export->json, "id", id);
		json_raw(&export->json, "name", name);
		json_raw(&export->json, "args", end ? "{}" : args);
		json_end(&export->json);
	}
}

/* A complete activity. They come in order of their ends, so a lane is free from the last end on it.
 */
static void activity_put(struct export *export, const struct open_activity *activity, int64_t stop)
{
	const char *name = region_name(export, activity->region),
		   *args = activity->args ? activity->args : "{}";
	int64_t start = activity->start > export->options->from ? activity->start
								: export->options->from,
		tid;
	int lane = 0;

	stop = stop < export->options->to ? stop : export->options->to;
	if (stop < start || (stop == start && activity->start < start))
		return;
	while (lane<LANES &&export->lane_end[lane]> start)
		lane++;
	if (lane == LANES) {
		crossing_put(export, name, args, start, stop);
		export->crossing++;
		return;
	}
	tid = lane ? LANE_TID + export->tid * LANES + lane : export->tid;
	lane_name(export, lane, tid);
	export->lane_end[lane] = stop;
	event_open(export, 'X', tid);
	export_time(&export->json, "ts", start);
	export_time(&export->json, "dur", stop - start);
	json_text(&export->json, "cat", "device");
	json_raw(&export->json, "name", name);
	json_raw(&export->json, "args", args);
	json_end(&export->json);
	if (activity->launched)
		flow_put(export, 'f', "launch", activity->launch, tid, activity->start);
	if (activity->communicates) {
		struct export_flow flow = activity->flow;

		flow.t = activity->start;
		flow.pid = export->pid;
		flow.tid = tid;
		export_flow_add(&export->flows, flow);
	}
}

static void activity_end(struct export *export, size_t number, int64_t t)
{
	struct open_activity activity = export->open.at[number];

	memmove(&export->open.at[number], &export->open.at[number + 1],
		(--export->open.n - number) * sizeof(activity));
	activity_put(export, &activity, t);
	free(activity.args);
}

static void stream_take_event(struct export *export, const struct event *event)
{
	uint32_t region = event->kind == EVENT_ENTER || event->kind == EVENT_LEAVE
		? model_region(&export->model, event->ref)
		: MODEL_NONE;
	uint64_t correlation;

	if (event->kind == EVENT_ENTER || event->kind == EVENT_RMA_BEGIN) {
		struct open_activity *open = ARRAY_ADD(&export->open);

		if (!open)
			return;
		*open = (struct open_activity){ .region = region,
			.start = event->t,
			.args = export_args(&export->archive, event) };
		open->launched = event_number(event,
			export->model.attributes[ATTRIBUTE_CORRELATION], &correlation);
		open->launch = open->launched ? launch_number(export, correlation) : 0;
		open->communicates = export_flow_read(&export->model, event, export->at->process,
			&open->flow);
	} else if (event->kind == EVENT_LEAVE || event->kind == EVENT_RMA_END) {
		for (size_t i = export->open.n; i > 0; i--)
			if (export->open.at[i - 1].region == region) {
				activity_end(export, i - 1, event->t);
				break;
			}
	}
}

static double counter_number(const struct event *event, uint32_t i)
{
	return event->types[i] == OTF2_TYPE_DOUBLE   ? event->values[i].floating_point
		: event->types[i] == OTF2_TYPE_INT64 ? (double)event->values[i].signed_int
						     : (double)event->values[i].unsigned_int;
}

/* Viewers want a number where JSON has none. */
static void counter_value(struct json *json, const struct event *event, uint32_t i)
{
	char digits[32];

	if (event->types[i] == OTF2_TYPE_DOUBLE) {
		double value = event->values[i].floating_point;

		json_number(json, "value", isfinite(value) ? value : 0);
		return;
	}
	if (event->types[i] == OTF2_TYPE_INT64)
		snprintf(digits, sizeof(digits), "%" PRId64, event->values[i].signed_int);
	else
		snprintf(digits, sizeof(digits), "%" PRIu64, event->values[i].unsigned_int);
	json_raw(json, "value", digits);
}

/* What a counter grew by in a second, since the location's last value. False: there is none before. */
static bool rate_next(struct export *export, const struct event *event, uint32_t i, uint32_t member,
	double *rate)
{
	struct series *series = &export->series.at[member], before = *series;

	*series = (struct series){ counter_number(event, i), event->t, true };
	*rate = before.known && event->t > before.t
		? (series->value - before.value) * 1e9 / (double)(event->t - before.t)
		: 0;
	return before.known && event->t > before.t && isfinite(*rate);
}

static void counter_put(struct export *export, const struct event *event, uint32_t i,
	uint32_t member)
{
	const struct in_metric_member *of = &export->archive.metric_members.at[member];
	char *text = NULL, *name;
	double rate = 0;

	if (of->accumulated && !rate_next(export, event, i, member, &rate))
		return;
	if (asprintf(&text, of->accumulated ? "%s per second" : "%s", of->name) < 0)
		return;
	name = in_window(export, event->t) ? export_name(text) : NULL;
	free(text);
	if (!name)
		return;
	event_open(export, 'C', export->tid);
	export_time(&export->json, "ts", event->t);
	json_raw(&export->json, "name", name);
	json_object(&export->json, "args", JSON_INLINE);
	if (of->accumulated)
		json_number(&export->json, "value", rate);
	else
		counter_value(&export->json, event, i);
	json_end(&export->json);
	json_end(&export->json);
	free(name);
}

/* Counters of a node are its own, whichever process reads them. */
static int64_t node_pid(struct export *export)
{
	uint32_t process = export->at->process, *at;
	uint32_t node = process == MODEL_NONE ? MODEL_NONE
					      : export->model.processes.at[process].node;
	char *name;

	if (node == MODEL_NONE)
		return export->pid;
	for (size_t i = 0; i < export->nodes.n; i++)
		if (export->nodes.at[i] == node)
			return NODE_PID + node;
	at = ARRAY_ADD(&export->nodes);
	if (!at || asprintf(&name, "node %s", export->model.nodes.at[node].hostname) < 0)
		return export->pid;
	*at = node;
	export->pid = NODE_PID + node;
	metadata_put(export, "process_name", 0, name);
	free(name);
	return export->pid;
}

static void counters_put(struct export *export, const struct event *event)
{
	uint32_t at = idmap_find(&export->archive.metrics.map, event->ref);
	const struct in_metric *metric = at == IDMAP_NONE ? NULL : &export->archive.metrics.at[at];

	int64_t pid = export->pid;

	if (!metric || event->t > export->options->to)
		return;
	if (metric->scoped && metric->group == IDMAP_NONE)
		export->pid = node_pid(export);
	for (uint32_t i = 0; i < event->tag && i < metric->n; i++)
		if (metric->members[i] != IDMAP_NONE)
			counter_put(export, event, i, metric->members[i]);
	export->pid = pid;
}

/* A parameter of the innermost region is the number of a step. */
static bool is_step(const struct export *export)
{
	uint32_t region = export->stack.at[export->stack.n - 1].region;

	return region != MODEL_NONE && strcmp(export->model.regions.at[region].name, "step") == 0;
}

static bool take(void *user, const struct event *event)
{
	struct export *export = user;
	bool sent = event->kind == EVENT_SEND || event->kind == EVENT_ISEND;

	window_begin(export, event);
	if (event->t > export->options->to) {
		export->beyond = true;
		return false;
	}
	export->last = event->t;
	if (export->at->device != MODEL_NONE)
		stream_take_event(export, event);
	else if (event->kind == EVENT_ENTER)
		thread_enter(export, event);
	else if (event->kind == EVENT_LEAVE)
		thread_leave(export, event);
	else if (sent || event->kind == EVENT_RECV || event->kind == EVENT_IRECV)
		message_put(export, event, sent);
	else if (event->kind == EVENT_METRIC)
		counters_put(export, event);
	if (export->at->device == MODEL_NONE && export->stack.n &&
		(event->kind != EVENT_PARAMETER || is_step(export)))
		export_notes_take(&export->stack.at[export->stack.n - 1].notes, &export->model,
			export->at->process, event);
	if (export->at->device == MODEL_NONE && export->stack.n &&
		export->at->process != MODEL_NONE)
		export_flow_take(&export->flows, &export->model, event,
			(struct export_flow){ .t = export->stack.at[export->stack.n - 1].start,
				.pid = export->pid,
				.tid = export->tid,
				.process = export->at->process });
	return !ferror(export->json.out);
}

/* All that is still open ends with the location, or with the window. */
static void location_close(struct export *export)
{
	int64_t end = export->beyond ? export->options->to : export->last;

	for (; export->stack.n; export->stack.n--)
		if (export->begun)
			slice_end(export, &export->stack.at[export->stack.n - 1], end);
	while (export->open.n)
		activity_end(export, 0, end);
}

static bool is_listed(const struct export *export, const struct location *at)
{
	return !export->options->ranks ||
		rank_listed(export->options->ranks, export_rank(&export->model, at->process)) == 1;
}

/* A track without any event has no information. */
static bool is_wanted(const struct export *export, const struct location *at)
{
	return at->in->nevents > 0 && is_listed(export, at);
}

static int64_t pid_of(const struct location *at)
{
	return at->device != MODEL_NONE	    ? DEVICE_PID + at->device
		: at->process == MODEL_NONE ? 0
					    : at->process + 1;
}

/* Whether a process or device has a track. */
static bool has_tracks(const struct export *export, int64_t pid)
{
	for (size_t i = 0; i < export->model.locations.n; i++)
		if (pid_of(&export->model.locations.at[i]) == pid &&
			is_wanted(export, &export->model.locations.at[i]))
			return true;
	return false;
}

static int location_export(struct export *export, size_t number)
{
	struct cursor cursor;

	export->at = &export->model.locations.at[number];
	if (!is_wanted(export, export->at))
		return 0;
	export->pid = pid_of(export->at);
	export->tid = (int64_t)number + 1;
	export->begun = export->beyond = false;
	export->crossing = 0;
	export->flows.posted.n = 0;
	memset(export->lane_named, 0, sizeof(export->lane_named));
	for (size_t i = 0; i < export->series.n; i++)
		export->series.at[i].known = false;
	for (int i = 0; i < LANES; i++)
		export->lane_end[i] = INT64_MIN;
	if (export->at->device != MODEL_NONE)
		lane_name(export, 0, export->tid);
	else if (export->at->in->type != OTF2_LOCATION_TYPE_METRIC) {
		metadata_put(export, "thread_name", export->tid, export->at->in->name);
		sort_put(export, "thread_sort_index", export->tid,
			export->at->is_main ? -1 : export->tid);
	}
	cursor_open(&cursor, &export->archive, export->at->in, take, export);
	export->last = cursor.ended ? 0 : cursor.last;
	while (!cursor.ended && !cursor.stopped)
		cursor_run(&cursor, SLICE);
	location_close(export);
	if (cursor.damage)
		log_warn("location %" PRIu64 " (%s) is damaged: %s", export->at->in->ref,
			export->at->in->name, cursor.damage);
	cursor_close(&cursor);
	return ferror(export->json.out) ? -1 : 0;
}

/* Names of processes and devices that have tracks. */
static void groups_export(struct export *export)
{
	const struct model *model = &export->model;
	char *name;

	for (size_t i = 0; i < model->processes.n; i++) {
		const struct process *process = &model->processes.at[i];

		export->pid = (int64_t)i + 1;
		if (!has_tracks(export, export->pid))
			continue;
		if (asprintf(&name, "%s%s%s", process->group->name,
			    process->node == MODEL_NONE ? "" : " on ",
			    process->node == MODEL_NONE
				    ? ""
				    : model->nodes.at[process->node].hostname) < 0)
			continue;
		metadata_put(export, "process_name", 0, name);
		sort_put(export, "process_sort_index", 0,
			2 *
				(process->rank < 0 ? (int64_t)model->nranks + (int64_t)i
						   : process->rank));
		free(name);
	}
	for (size_t i = 0; i < model->devices.n; i++) {
		const struct device *device = &model->devices.at[i];
		const struct device_use *owner = export_device_owner(model, device);
		int64_t rank = owner ? export_rank(model, owner->process) : -1;
		bool standin = device->kind && strcmp(device->kind, "stand-in") == 0;

		export->pid = DEVICE_PID + (int64_t)i;
		if (!has_tracks(export, export->pid))
			continue;
		if (asprintf(&name, "%s %" PRId64 ":%" PRIu32 " %s",
			    standin ? "stand-in device" : "GPU", rank,
			    owner ? owner->ordinal : device->ordinal,
			    device->name ? device->name : "") < 0)
			continue;
		metadata_put(export, "process_name", 0, name);
		sort_put(export, "process_sort_index", 0, 2 * rank + 1);
		free(name);
	}
}

static int names_make(struct export *export)
{
	export->names = export_region_names(&export->model);
	for (size_t i = 0; i < export->archive.metric_members.n; i++) {
		struct series *series = ARRAY_ADD(&export->series);

		if (!series)
			return -1;
		*series = (struct series){ 0 };
	}
	return export->names ? 0 : -1;
}

/* A mark on the tracks of its rank. */
static void step_put(void *user, const struct export_step *step)
{
	struct export *export = user;
	uint32_t process = 0;
	char name[48];

	while (process < export->model.processes.n &&
		export->model.processes.at[process].rank != step->rank)
		process++;
	export->pid = process + 1;
	if (!has_tracks(export, export->pid) || !in_window(export, step->start))
		return;
	snprintf(name, sizeof(name), "step %" PRId64, step->n);
	event_open(export, 'i', 0);
	export_time(&export->json, "ts", step->start);
	json_text(&export->json, "s", "p");
	json_text(&export->json, "cat", "step");
	json_text(&export->json, "name", name);
	json_object(&export->json, "args", JSON_INLINE);
	json_integer(&export->json, "step", step->n);
	json_end(&export->json);
	json_end(&export->json);
}

static int trace_export(struct export *export)
{
	size_t n = export->model.locations.n;
	int ret = 0;

	json_object(&export->json, NULL, JSON_INLINE);
	json_text(&export->json, "displayTimeUnit", "ns");
	json_array(&export->json, "traceEvents", JSON_LINES);
	groups_export(export);
	if (export->options->database)
		export_findings(&export->json, export->options->database, export->options->from,
			export->options->to);
	export_found_steps(&export->model, export->options, -1, step_put, export);
	for (size_t i = 0; i < n && ret == 0; i++) {
		ret = location_export(export, i);
		log_progress("exporting", i + 1, n);
	}
	export_flows_put(&export->flows, &export->json, export->options->from, export->options->to);
	json_end(&export->json);
	json_end(&export->json);
	putc('\n', export->json.out);
	return ret;
}

static int stdout_export(struct export *export)
{
	export->json.out = stdout;
	if (trace_export(export) == 0 && fflush(stdout) == 0)
		return 0;
	log_error("cannot write to stdout: %s", strerror(errno));
	return -1;
}

/* Whoever ends this process removes the file. */
static int file_export(struct export *export)
{
	struct export_file file;
	int ret = -1;

	if (export_file_open(&file, export->options->output) == 0) {
		snprintf(guard->temporary, sizeof(guard->temporary), "%s",
			file.temporary ? file.temporary : "");
		export->json.out = file.out;
		ret = trace_export(export);
		if (export_file_close(&file) < 0 || (ret == 0 && export_file_place(&file) < 0))
			ret = -1;
	}
	export_file_free(&file);
	guard->temporary[0] = '\0';
	return ret;
}

/* True if any location belongs to the selected ranks; else reports it. */
static bool has_ranks(const struct export *export)
{
	for (size_t i = 0; i < export->model.locations.n; i++)
		if (is_listed(export, &export->model.locations.at[i]))
			return true;
	log_error("none of the ranks %s is in the trace, which has %u", export->options->ranks,
		export->model.nranks);
	return false;
}

int export_perfetto(const struct export_options *options)
{
	struct export export = { .options = options, .json = { .dense = true } };
	int ret = -1;

	if (archive_open(&export.archive, options->anchor, NULL, 0) < 0 ||
		model_build(&export.model, &export.archive) < 0 ||
		archive_open_events(&export.archive) < 0 || names_make(&export) < 0 ||
		(options->ranks && !has_ranks(&export)))
		goto out;
	ret = strcmp(options->output, "-") == 0 ? stdout_export(&export) : file_export(&export);
out:
	export_region_names_free(&export.model, export.names);
	free(export.stack.at);
	free(export.series.at);
	free(export.nodes.at);
	free(export.open.at);
	idmap_free(&export.channels);
	export_flows_free(&export.flows);
	model_free(&export.model);
	archive_close(&export.archive);
	return ret;
}
