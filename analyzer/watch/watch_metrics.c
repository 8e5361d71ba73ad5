/*
 * watch_metrics.c - writes a sample of a run as JSON, and as a metrics file in OpenMetrics format,
 * which node exporters for Prometheus's older format read as well; see watch_view.h.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "merge/walk/walk_regions.h"
#include "watch/watch_view.h"

static const char *const lives[] = {
	[VIEW_RUNS] = "running", [VIEW_ENDED] = "ended", [VIEW_SILENT] = "silent"
};

/* States under the names of the database; two of them are "absent". */
static const struct {
	enum host_state state;
	const char *name;
} states[] = {
	{ HOST_USEFUL, "useful" },
	{ HOST_IO, "io" },
	{ HOST_MPI, "mpi" },
	{ HOST_GLOO, "gloo" },
	{ HOST_CUDA, "cuda" },
	{ HOST_WAIT, "wait" },
	{ HOST_ABSENT, "absent" },
};
enum { NSTATES = sizeof(states) / sizeof(*states) };

static double share_of(const struct view_rank *rank, int i)
{
	if (!rank->has_shares)
		return NAN;
	return rank->share[states[i].state] +
		(states[i].state == HOST_ABSENT ? rank->share[HOST_LOST] : 0);
}

static void rank_json(struct json *json, const struct view_rank *rank)
{
	const struct live_process *p = rank->process;

	json_object(json, NULL, JSON_INLINE);
	json_integer(json, "rank", p->rank);
	json_text(json, "node", p->hostname);
	json_text(json, "state", lives[rank->life]);
	json_number(json, "step", p->has_step ? (double)p->step : NAN);
	json_integer(json, "steps", (int64_t)p->nsteps);
	json_number(json, "steps_per_s", rank->steps_per_s);
	json_number(json, "samples_per_s", rank->samples_per_s);
	for (int i = 0; i < NSTATES; i++)
		json_number(json, states[i].name, share_of(rank, i));
	json_text(json, "call", p->inside ? region_infos[p->inside].name : NULL);
	json_number(json, "since_s", rank->inside_s);
	json_integer(json, "lost", (int64_t)p->lost);
	json_end(json);
}

static void node_json(struct json *json, const struct view_node *node)
{
	json_object(json, NULL, JSON_INLINE);
	json_text(json, "node", node->hostname);
	for (int i = 0; i < VIEW_RATE_COUNT; i++) {
		char key[64];

		snprintf(key, sizeof(key), "%s_gbps", view_rate_names[i]);
		json_number(json, key, node->rate[i] * 8 / 1e9);
	}
	json_array(json, "gpus", JSON_INLINE);
	for (size_t i = 0; i < node->gpus.n; i++) {
		json_object(json, NULL, JSON_INLINE);
		json_text(json, "gpu", node->gpus.at[i].number);
		json_number(json, "utilisation_percent", node->gpus.at[i].util);
		json_number(json, "power_w", node->gpus.at[i].watts);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

void view_json(const struct view *view, FILE *out)
{
	struct json json = { .out = out, .dense = true };

	json_object(&json, NULL, JSON_INLINE);
	json_text(&json, "run", view->run);
	json_bool(&json, "running", !view->is_over);
	json_number(&json, "elapsed_s", view->elapsed_s);
	json_number(&json, "steps_per_s", view->steps_per_s);
	json_number(&json, "samples_per_s", view->samples_per_s);
	json_number(&json, "slowest", view->slowest ? view->slowest->process->rank : NAN);
	json_text(&json, "hang", view->hang);
	json_integer(&json, "lost", (int64_t)view->lost);
	json_integer(&json, "other_processes", (int64_t)view->nchildren);
	json_array(&json, "ranks", JSON_INLINE);
	for (size_t i = 0; i < view->ranks.n; i++)
		rank_json(&json, &view->ranks.at[i]);
	json_end(&json);
	json_array(&json, "nodes", JSON_INLINE);
	for (size_t i = 0; i < view->nodes.n; i++)
		node_json(&json, &view->nodes.at[i]);
	json_end(&json);
	json_end(&json);
	fputc('\n', out);
}

/* A value of a label, as the format quotes it. */
static void label_print(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (const char *c = value; *c; c++)
		if (*c == '\n')
			fputs("\\n", out);
		else if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else
			fputc(*c, out);
	fputc('"', out);
}

/* A family is announced when its first sample comes; those without any are left out. */
struct family_writer {
	FILE *out;
	const struct view *view;
	const char *name, *type, *help;
	bool is_announced;
};

/* By the format's rules a counter's samples are called NAME_total, and names end with their unit. */
static void family(struct family_writer *writer, const char *name, const char *type,
	const char *help)
{
	writer->name = name;
	writer->type = type;
	writer->help = help;
	writer->is_announced = false;
}

/* Writes a sample's name and common labels; `rank` or `node` may be NULL. */
static void about(struct family_writer *writer, const struct view_rank *rank,
	const struct view_node *node)
{
	FILE *out = writer->out;

	if (!writer->is_announced)
		fprintf(out, "# TYPE tacho_%s %s\n# HELP tacho_%s %s\n", writer->name, writer->type,
			writer->name, writer->help);
	writer->is_announced = true;
	fprintf(out, "tacho_%s%s{", writer->name,
		strcmp(writer->type, "counter") == 0 ? "_total" : "");
	label_print(out, "run", writer->view->run);
	if (rank)
		fprintf(out, ",rank=\"%d\"", rank->process->rank);
	if (!rank && !node)
		return;
	fputc(',', out);
	label_print(out, "node", rank ? rank->process->hostname : node->hostname);
}

/* Ends a sample with its value; unknown values have no sample. */
static void value(struct family_writer *writer, double number)
{
	fprintf(writer->out, "} %.15g\n", number);
}

static void rank_value(struct family_writer *writer, const struct view_rank *rank, double number)
{
	if (isnan(number))
		return;
	about(writer, rank, NULL);
	value(writer, number);
}

#define EACH_RANK(writer, rank)                                                                    \
	const struct view_rank *rank = (writer)->view->ranks.at,                                   \
			       *end_ = rank + (writer)->view->ranks.n;                             \
	rank < end_;                                                                               \
	rank++

static void ranks_write(struct family_writer *writer)
{
	family(writer, "steps", "counter", "Steps that the rank has ended since it is watched.");
	for (EACH_RANK(writer, rank))
		rank_value(writer, rank, (double)rank->process->nsteps);
	family(writer, "step", "gauge", "Number of the step that began last.");
	for (EACH_RANK(writer, rank))
		rank_value(writer, rank,
			rank->process->has_step ? (double)rank->process->step : NAN);
	family(writer, "steps_per_second", "gauge", "Steps per second, of the last seconds.");
	for (EACH_RANK(writer, rank))
		rank_value(writer, rank, rank->steps_per_s);
	family(writer, "samples_per_second", "gauge", "Samples per second, of the last seconds.");
	for (EACH_RANK(writer, rank))
		rank_value(writer, rank, rank->samples_per_s);
	family(writer, "time_ratio", "gauge", "Share of the main thread's time in a state.");
	for (EACH_RANK(writer, rank))
		for (int k = 0; k < NSTATES && rank->has_shares; k++) {
			about(writer, rank, NULL);
			fprintf(writer->out, ",state=\"%s\"", states[k].name);
			value(writer, share_of(rank, k));
		}
	family(writer, "rank_up", "gauge", "1 while the rank shows signs of life.");
	for (EACH_RANK(writer, rank))
		rank_value(writer, rank, rank->life == VIEW_RUNS && !writer->view->is_over);
}

/* By the kernels that have ended, of communicators that had some. */
static void nccl_write(struct family_writer *writer,
	double (*figure)(const struct live_process *process, const struct live_nccl_comm *comm))
{
	for (EACH_RANK(writer, rank))
		for (size_t i = 0; i < rank->process->nccl.comms.n; i++) {
			const struct live_nccl_comm *comm = &rank->process->nccl.comms.at[i];
			double number = comm->ticks && comm->size > 1 ? figure(rank->process, comm)
								      : NAN;

			if (isnan(number))
				continue;
			about(writer, rank, NULL);
			fputc(',', writer->out);
			label_print(writer->out, "comm", comm->name);
			fprintf(writer->out, ",size=\"%" PRIu32 "\"", comm->size);
			value(writer, number);
		}
}

static double nccl_bytes(const struct live_process *process, const struct live_nccl_comm *comm)
{
	(void)process;
	return comm->bytes;
}

static double nccl_seconds(const struct live_process *process, const struct live_nccl_comm *comm)
{
	return (double)comm->ticks * process->ns_per_tick / 1e9;
}

static double nccl_bandwidth(const struct live_process *process, const struct live_nccl_comm *comm)
{
	double ns = (double)(comm->ticks - comm->since_ticks) * process->ns_per_tick;

	return ns > 0 ? (comm->bytes - comm->since_bytes) / ns * 1e9 : NAN;
}

static void nccls_write(struct family_writer *writer)
{
	family(writer, "nccl_bus_bandwidth_bytes_per_second", "gauge",
		"Bus bandwidth of NCCL's kernels since the last look, as nccl-tests define it.");
	nccl_write(writer, nccl_bandwidth);
	family(writer, "nccl_bus_bytes", "counter", "Bytes on the busiest link of NCCL's kernels.");
	nccl_write(writer, nccl_bytes);
	family(writer, "nccl_kernel_seconds", "counter",
		"Time of NCCL's kernels, with that in which they wait for other ranks.");
	nccl_write(writer, nccl_seconds);
}

static void gpus_write(struct family_writer *writer, double (*figure)(const struct view_gpu *))
{
	for (size_t i = 0; i < writer->view->nodes.n; i++) {
		const struct view_node *node = &writer->view->nodes.at[i];

		for (size_t k = 0; k < node->gpus.n; k++) {
			if (isnan(figure(&node->gpus.at[k])))
				continue;
			about(writer, NULL, node);
			fprintf(writer->out, ",gpu=\"%s\"", node->gpus.at[k].number);
			value(writer, figure(&node->gpus.at[k]));
		}
	}
}

static double gpu_use(const struct view_gpu *gpu)
{
	return gpu->util / 100;
}

static double gpu_power(const struct view_gpu *gpu)
{
	return gpu->watts;
}

static void nodes_write(struct family_writer *writer)
{
	for (int rate = 0; rate < VIEW_RATE_COUNT; rate++) {
		char name[64];

		snprintf(name, sizeof(name), "%s_bytes_per_second", view_rate_names[rate]);
		family(writer, name, "gauge",
			rate < VIEW_STORAGE_READ ? "By the calls of recorded processes."
						 : "By the node's counters.");
		for (size_t i = 0; i < writer->view->nodes.n; i++)
			if (!isnan(writer->view->nodes.at[i].rate[rate])) {
				about(writer, NULL, &writer->view->nodes.at[i]);
				value(writer, writer->view->nodes.at[i].rate[rate]);
			}
	}
	family(writer, "gpu_utilisation_ratio", "gauge",
		"Share of the time with a kernel on the GPU.");
	gpus_write(writer, gpu_use);
	family(writer, "gpu_power_watts", "gauge", "Power of the GPU.");
	gpus_write(writer, gpu_power);
}

static void run_value(struct family_writer *writer, double number)
{
	about(writer, NULL, NULL);
	value(writer, number);
}

static void metrics_write(const struct view *view, FILE *out)
{
	struct family_writer writer = { .out = out, .view = view };

	family(&writer, "running", "gauge", "1 while the run is in progress.");
	run_value(&writer, !view->is_over);
	family(&writer, "hanging", "gauge", "1 while ranks wait for one that does not come.");
	run_value(&writer, view->hang != NULL);
	family(&writer, "events_lost", "counter", "Events that could not be recorded.");
	run_value(&writer, (double)view->lost);
	ranks_write(&writer);
	nccls_write(&writer);
	nodes_write(&writer);
	fputs("# EOF\n", out);
}

/* Exporters read as another user; whoever may list the folder may read it. */
int view_openmetrics(const struct view *view, const char *path)
{
	char *work = NULL;
	FILE *out = NULL;
	int fd = -1, ret = -1;

	if (asprintf(&work, "%s.%d.tmp", path, (int)getpid()) >= 0)
		fd = open(work, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (out) {
		metrics_write(view, out);
		ret = fclose(out) == 0 && rename(work, path) == 0 ? 0 : -1;
	} else if (fd >= 0) {
		close(fd);
	}
	if (ret < 0) {
		log_error("cannot write %s: %s", path, strerror(errno));
		if (work)
			unlink(work);
	}
	free(work);
	return ret;
}
