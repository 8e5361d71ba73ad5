/*
 * export_kineto.c - a file for each rank in the shape of torch.profiler's traces, for HolisticTraceAnalysis and
 * TensorBoard; see export.h.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/log.h"
#include "base/text.h"
#include "export/export_file.h"
#include "export/export_gzip.h"
#include "export/export_json.h"
#include "export/export_kineto.h"
#include "export/export_marks.h"
#include "export/export_names.h"

enum { NO_PID = 1000000 }; /* + rank: for processes without a number in the trace */

static const struct process *process_of(const struct kineto_export *export)
{
	return &export->model.processes.at[export->process];
}

static void metadata_put(struct kineto_export *export, int64_t pid, int64_t tid, const char *what,
	const char *name, int64_t index)
{
	char *text = name ? export_name(name) : NULL;

	json_object(&export->json, NULL, JSON_INLINE);
	json_text(&export->json, "ph", "M");
	json_text(&export->json, "name", what);
	json_integer(&export->json, "pid", pid);
	json_integer(&export->json, "tid", tid);
	json_integer(&export->json, "ts", 0);
	json_object(&export->json, "args", JSON_INLINE);
	if (text)
		json_raw(&export->json, strcmp(what, "process_labels") == 0 ? "labels" : "name",
			text);
	else
		json_integer(&export->json, "sort_index", index);
	json_end(&export->json);
	json_end(&export->json);
	free(text);
}

static bool is_mine(const struct kineto_export *export, const struct location *at)
{
	return at->process == export->process && at->in->nevents > 0 &&
		at->in->type != OTF2_LOCATION_TYPE_METRIC;
}

/* Number of the device of the process; -1: it does not use it. */
static int64_t ordinal_of(const struct kineto_export *export, const struct device *device)
{
	for (size_t i = 0; i < device->uses.n; i++)
		if (device->uses.at[i].process == export->process)
			return device->uses.at[i].ordinal;
	return -1;
}

static void devices_put(struct kineto_export *export)
{
	json_array(&export->json, "deviceProperties", JSON_LINES);
	for (size_t i = 0; i < export->model.devices.n; i++) {
		const struct device *device = &export->model.devices.at[i];
		char *name = device->name ? export_name(device->name) : NULL;

		if (ordinal_of(export, device) >= 0) {
			json_object(&export->json, NULL, JSON_INLINE);
			json_integer(&export->json, "id", ordinal_of(export, device));
			json_raw(&export->json, "name", name ? name : "\"\"");
			json_end(&export->json);
		}
		free(name);
	}
	json_end(&export->json);
}

static bool has_nccl(const struct kineto_export *export)
{
	for (size_t i = 0; i < export->model.regions.n; i++)
		if (export->model.regions.at[i].activity == ACTIVITY_NCCL)
			return true;
	return false;
}

/* A property of the process, `otherwise` without it; nothing where that is NULL. */
static void fact_put(struct kineto_export *export, const char *key, const char *property,
	const char *otherwise)
{
	const char *value = property_find(&process_of(export)->group->properties, property);
	char *text = value ? text_clean(value, strlen(value)) : NULL;

	if (text || otherwise)
		json_text(&export->json, key, text ? text : otherwise);
	free(text);
}

/* What the process knew of its job. */
static void job_put(struct kineto_export *export)
{
	json_object(&export->json, "distributedInfo", JSON_INLINE);
	fact_put(export, "backend", PROPERTY_ENV_PREFIX "torch_backend",
		has_nccl(export) ? "nccl" : NULL);
	fact_put(export, "nccl_version", PROPERTY_ENV_PREFIX "nccl_version", NULL);
	json_integer(&export->json, "rank", process_of(export)->rank);
	json_integer(&export->json, "world_size", export->model.nranks);
	json_end(&export->json);
}

static void names_put(struct kineto_export *export)
{
	int64_t rank = process_of(export)->rank;
	char text[64];

	snprintf(text, sizeof(text), "rank %" PRId64, rank);
	metadata_put(export, export->pid, 0, "process_name", text, 0);
	metadata_put(export, export->pid, 0, "process_labels", "CPU", 0);
	metadata_put(export, export->pid, 0, "process_sort_index", NULL, 0);
	for (size_t i = 0; i < export->model.devices.n; i++) {
		int64_t ordinal = ordinal_of(export, &export->model.devices.at[i]);

		if (ordinal < 0)
			continue;
		metadata_put(export, ordinal, 0, "process_name", text, 0);
		snprintf(text, sizeof(text), "GPU %" PRId64, ordinal);
		metadata_put(export, ordinal, 0, "process_labels", text, 0);
		metadata_put(export, ordinal, 0, "process_sort_index", NULL, 1 + ordinal);
		snprintf(text, sizeof(text), "rank %" PRId64, rank);
	}
}

static void step_put(void *user, const struct export_step *step)
{
	struct kineto_export *export = user;
	char name[48];

	snprintf(name, sizeof(name), "\"ProfilerStep#%" PRId64 "\"", step->n);
	export->tid = export->pid;
	kineto_slice_begin(export, "user_annotation", name, step->start, step->end);
	json_integer(&export->json, "External id", (int64_t)++ export->nexternal);
	kineto_slice_end(export);
}

/* Threads first: they define the operation that launched each activity of a stream. */
static int events_put(struct kineto_export *export)
{
	const struct model *model = &export->model;
	int ret = 0;

	for (int streams = 0; streams < 2; streams++) {
		int64_t number = export->pid;

		for (size_t i = 0; i < model->locations.n && ret == 0; i++) {
			const struct location *at = &model->locations.at[i];
			bool is_stream = at->device != MODEL_NONE;
			int64_t tid = is_stream ? (int64_t)at->stream
				: at->is_main	? export->pid
						: ++number;

			if (is_stream != (streams == 1) || !is_mine(export, at))
				continue;
			metadata_put(export, is_stream ? at->ordinal : export->pid, tid,
				"thread_name", at->in->name, 0);
			ret = kineto_location_put(export, at, tid);
		}
		if (!streams && ret == 0)
			export_found_steps(model, export->options, process_of(export)->rank,
				step_put, export);
	}
	return ret;
}

static int trace_put(struct kineto_export *export, const char *name)
{
	int ret;

	json_object(&export->json, NULL, JSON_LINES);
	json_integer(&export->json, "schemaVersion", 1);
	devices_put(export);
	job_put(export);
	json_text(&export->json, "displayTimeUnit", "ms");
	json_integer(&export->json, "baseTimeNanoseconds", (int64_t) export->archive.realtime_ns);
	json_text(&export->json, "traceName", name);
	json_array(&export->json, "traceEvents", JSON_LINES);
	export->json
		.dense = true; /* not before: HTA finds the rank of a file by "rank": and a blank */
	names_put(export);
	ret = events_put(export);
	json_end(&export->json);
	json_end(&export->json);
	putc('\n', export->json.out);
	return ret;
}

/* Whether a rank before it has the same host and number, as in containers. */
static bool is_taken(const struct kineto_export *export)
{
	const struct process *process = process_of(export);

	for (uint32_t i = 0; i < export->process; i++)
		if (export->model.processes.at[i].rank >= 0 &&
			export->model.processes.at[i].pid == process->pid &&
			export->model.processes.at[i].node == process->node)
			return true;
	return false;
}

/*
 * FOLDER/HOST_PID.TIME.pt.trace.json.gz, the form of tensorboard_trace_handler();
 * rank3.pt.trace.json.gz without a host or PID. To be freed.
 */
static char *path_make(const struct kineto_export *export)
{
	const struct process *process = process_of(export);
	const char *host = process->node == MODEL_NONE
		? ""
		: export->model.nodes.at[process->node].hostname;
	const char *end = export_gzip_is_there() ? ".pt.trace.json.gz" : ".pt.trace.json";
	bool is_plain = *host &&
		host[strspn(host,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789.-_")] == '\0';
	char *path;

	if ((is_plain && *host != '.' && process->pid >= 0 && !is_taken(export)
			    ? asprintf(&path, "%s/%s_%" PRId64 ".%" PRIu64 "%s",
				      export->options->output, host, process->pid,
				      export->archive.realtime_ns / 1000000, end)
			    : asprintf(&path, "%s/rank%" PRId64 "%s", export->options->output,
				      process->rank, end)) < 0)
		return NULL;
	return path;
}

static void process_begin(struct kineto_export *export, uint32_t process)
{
	export->process = process;
	export->pid = export->model.processes.at[process].pid;
	if (export->pid < 0)
		export->pid = NO_PID + export->model.processes.at[process].rank;
	export->nexternal = 0;
	idmap_free(&export->externals);
	export->externals = (struct idmap){ 0 };
}

static int process_put(struct kineto_export *export)
{
	char *path = path_make(export);
	struct export_file file = { 0 };
	FILE *packed = NULL;
	int ret = -1;

	if (path && export_file_open(&file, path) == 0) {
		snprintf(guard->temporary, sizeof(guard->temporary), "%s",
			file.temporary ? file.temporary : "");
		if (export_gzip_is_there())
			packed = export_gzip(file.out);
		export->json = (struct json){ .out = packed ? packed : file.out };
		if (packed || !export_gzip_is_there())
			ret = trace_put(export, strrchr(path, '/') + 1);
		if (packed && fclose(packed) != 0)
			ret = -1;
		if (export_file_close(&file) < 0 || (ret == 0 && export_file_place(&file) < 0))
			ret = -1;
	}
	export_file_free(&file);
	guard->temporary[0] = '\0';
	free(path);
	return ret;
}

static bool is_wanted(const struct kineto_export *export, uint32_t process)
{
	int64_t rank = export->model.processes.at[process].rank;

	return rank >= 0 && !model_is_other_attempt(&export->model, process) &&
		(!export->options->ranks || rank_listed(export->options->ranks, rank) == 1);
}

static int processes_put(struct kineto_export *export)
{
	size_t n = export->model.processes.n, written = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!is_wanted(export, i))
			continue;
		process_begin(export, i);
		if (process_put(export) < 0)
			return -1;
		written++;
		log_progress("exporting", i + 1, n);
	}
	if (!written)
		log_error("none of the ranks %s is in the trace, which has %u",
			export->options->ranks ? export->options->ranks : "", export->model.nranks);
	return written ? 0 : -1;
}

int export_kineto(const struct export_options *options)
{
	struct kineto_export export = { .options = options };
	bool made = mkdir(options->output, 0777) == 0;
	int ret = -1;

	if (!made && errno != EEXIST)
		log_error("cannot make the folder %s: %s", options->output, strerror(errno));
	else if (archive_open(&export.archive, options->anchor, NULL, 0) == 0 &&
		model_build(&export.model, &export.archive) == 0 &&
		archive_open_events(&export.archive) == 0 &&
		(export.names = export_region_names(&export.model)))
		ret = processes_put(&export);
	if (ret < 0 && made)
		rmdir(options->output);
	export_region_names_free(&export.model, export.names);
	free(export.calls.at);
	free(export.activities.at);
	idmap_free(&export.externals);
	model_free(&export.model);
	archive_close(&export.archive);
	return ret;
}
