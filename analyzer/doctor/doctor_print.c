/* doctor_print.c - the output of tacho doctor: tables and a line per problem as text, or JSON. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/terminal.h"
#include "doctor/doctor.h"
#include "doctor/doctor_cuda.h"
#include "doctor/doctor_expected.h"
#include "result/result.h"

enum { PLACES_MOST = 64 }; /* ranks in the table */

/* Whether any node has it. */
static bool any_has(const struct doctor *doctor, int figure, int place)
{
	for (int r = 0; r < doctor->nranks; r++)
		if (doctor->nodes[r].measured && !isnan(doctor->nodes[r].figure[figure][place]))
			return true;
	return false;
}

/* Whether there is more than one node to have an offset. */
static bool offsets_are_there(const struct doctor *doctor)
{
	for (int r = 1; r < doctor->nranks; r++)
		if (!isnan(doctor->nodes[r].clock_offset))
			return true;
	return false;
}

static void table_print(struct result *table)
{
	result_print(table, &(struct result_look){ .indent = 2, .whole = "json" });
	result_free(table);
}

/* "storage write /scratch, GB/s|number" */
static char *figure_title(const struct doctor *doctor, int figure, int place)
{
	bool stored = figure >= DOCTOR_WRITE;
	char *title;

	return asprintf(&title, "%s%s%s, %s|number", doctor_kinds[figure].what, stored ? " " : "",
		       stored ? doctor->wanted.folders[place] : "", doctor_kinds[figure].unit) < 0
		? NULL
		: title;
}

/* The columns of the figures that any node has. */
static void nodes_columns(const struct doctor *doctor, struct result *table, bool clocks)
{
	char *titles[DOCTOR_FIGURES * DOCTOR_FOLDERS];
	const char *columns[DOCTOR_FIGURES * DOCTOR_FOLDERS + 3] = { "node" };
	int n = 0;

	for (int i = 0; i < DOCTOR_FIGURES; i++)
		for (int k = 0; k < doctor_places(doctor, i); k++)
			if (any_has(doctor, i, k)) {
				titles[n] = figure_title(doctor, i, k);
				columns[n + 1] = titles[n] ? titles[n] : "";
				n++;
			}
	if (clocks)
		columns[n + 1] = "time of day off by|s";
	columns[n + 1 + clocks] = "processor";
	result_columns(table, columns, n + 2 + clocks);
	while (n > 0)
		free(titles[--n]);
}

static void nodes_print(const struct doctor *doctor)
{
	bool clocks = offsets_are_there(doctor);
	struct result table;

	nodes_columns(doctor, &table, clocks);
	for (int r = 0; r < doctor->nranks; r++) {
		const struct doctor_node *node = &doctor->nodes[r];

		if (!node->measured)
			continue;
		result_put(&table, "%s", node->host);
		for (int i = 0; i < DOCTOR_FIGURES; i++)
			for (int k = 0; k < doctor_places(doctor, i); k++)
				if (any_has(doctor, i, k))
					result_put_number(&table, node->figure[i][k]);
		if (clocks)
			result_put_number(&table, node->clock_offset);
		result_put(&table, "%s x %s", node->setting[DOCTOR_IS_CORES],
			node->setting[DOCTOR_IS_CPU]);
	}
	table_print(&table);
}

/* Adds the figures of a node, each beside the expected one for its kind of machine. */
static void expected_put(const struct doctor *doctor, const struct doctor_node *node,
	const struct doctor_machine *machine, struct result *table)
{
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		for (int k = 0; k < doctor_places(doctor, i); k++) {
			double value = node->figure[i][k], want = machine->figure[i];
			bool stored = i >= DOCTOR_WRITE;

			if (isnan(value) || !(want > 0))
				continue;
			result_put(table, "%s", node->host);
			result_put(table, "%s%s%s", doctor_kinds[i].what, stored ? " in " : "",
				stored ? doctor->wanted.folders[k] : "");
			result_put_number(table, value);
			result_put(table, "%.4g %s", want, doctor_kinds[i].unit);
			result_put_number(table, value / want);
			result_put(table, "%s", machine->name);
		}
}

static void expected_print(const struct doctor *doctor)
{
	static const char *const columns[] = { "node", "figure", "measured|number",
		"expected|number", "of it|efficiency", "machine" };
	struct result table;

	result_columns(&table, columns, 6);
	for (int r = 0; r < doctor->nranks; r++) {
		const struct doctor_node *node = &doctor->nodes[r];
		const struct doctor_machine *machine = node->measured
			? doctor_machine_of(doctor, node)
			: NULL;

		if (machine)
			expected_put(doctor, node, machine, &table);
	}
	puts(table.nrows
			? ""
			: "\nnothing is expected of these nodes: no kind of machine of the file is theirs");
	if (table.nrows)
		table_print(&table);
	else
		result_free(&table);
}

/* of: its members, NULL: GPUs */
static const struct {
	const char *title, *of;
} collectives[DOCTOR_COLLECTIVES] = {
	[DOCTOR_ALLREDUCE] = { "all-reduce", "ranks" },
	[DOCTOR_ALLTOALL] = { "all-to-all", "ranks" },
	[DOCTOR_NCCL_ALLREDUCE] = { "all-reduce of NCCL", NULL },
	[DOCTOR_NCCL_ALLTOALL] = { "all-to-all of NCCL", NULL },
};

static void sweep_make(const struct doctor *doctor, int which, struct result *table)
{
	static const char *const columns[] = { "bytes", "seconds|s", "bus_gbps|number",
		"busbw|rate", "expected_gbps|number", "of_expected|efficiency" };
	const struct doctor_sweep *sweep = &doctor->sweeps[which];

	result_columns(table, columns, doctor->machines ? 6 : 4);
	for (int i = 0; i < sweep->n; i++) {
		double want = doctor_point_expected(doctor, which, sweep->points[i].bytes);

		result_put_whole(table, (int64_t)sweep->points[i].bytes);
		result_put_number(table, sweep->points[i].seconds);
		result_put_number(table, sweep->points[i].bus_gbps);
		result_put_number(table, sweep->points[i].bus_gbps * 1e9 / 8);
		if (doctor->machines) {
			result_put_number(table, want > 0 ? want : NAN);
			result_put_number(table, want > 0 ? sweep->points[i].bus_gbps / want : NAN);
		}
	}
}

static void sweep_print(const struct doctor *doctor, int which)
{
	int members = doctor->sweeps[which].members;
	struct result table;

	printf("\n%s over %d %s\n", collectives[which].title, members,
		collectives[which].of ? collectives[which].of : doctor_gpus_text(members));
	sweep_make(doctor, which, &table);
	table_print(&table);
}

/* The measured process of a rank's node. */
static const struct doctor_node *lead_of(const struct doctor *doctor, int rank)
{
	int r = 0;

	while (r < rank && strcmp(doctor->nodes[r].host, doctor->nodes[rank].host) != 0)
		r++;
	return &doctor->nodes[r];
}

/* Names of the devices that are on one of the NUMA nodes, or of which is not known where they are. */
static void devices_text(const struct doctor_device *devices, int ndevices, const int *numbers,
	int n, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < ndevices && used < size; i++) {
		bool near = devices[i].numa < 0;

		for (int k = 0; k < n; k++)
			near = near || devices[i].numa == numbers[k];
		if (near)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
				devices[i].name);
	}
}

struct node_parts {
	char cores[64], numa[64], gpus[256], nics[256];
};

static void place_find(const struct doctor *doctor, int rank, struct node_parts *place)
{
	const struct doctor_near *near = &lead_of(doctor, rank)->near;
	int numbers[DOCTOR_NUMA], n = doctor_numa_of(near, &doctor->nodes[rank].cores, numbers);
	size_t used = 0;

	doctor_cores_text(&doctor->nodes[rank].cores, place->cores, sizeof(place->cores));
	place->numa[0] = '\0';
	for (int i = 0; i < n && used < sizeof(place->numa); i++)
		used += (size_t)snprintf(place->numa + used, sizeof(place->numa) - used, "%s%d",
			used ? "," : "", numbers[i]);
	devices_text(near->gpus, near->ngpus, numbers, n, place->gpus, sizeof(place->gpus));
	devices_text(near->nics, near->nnics, numbers, n, place->nics, sizeof(place->nics));
}

/* The first ranks. */
static void places_make(const struct doctor *doctor, int nranks, struct result *table)
{
	static const char *const columns[] = { "rank", "host", "cores", "numa", "gpus",
		"networks" };

	result_columns(table, columns, 6);
	for (int r = 0; r < nranks; r++) {
		struct node_parts place;

		place_find(doctor, r, &place);
		result_put_whole(table, r);
		result_put(table, "%s", doctor->nodes[r].host);
		result_put(table, "%s", place.cores);
		result_put(table, "%s", place.numa);
		result_put(table, "%s", place.gpus);
		result_put(table, "%s", place.nics);
	}
}

static void places_print(const struct doctor *doctor)
{
	int shown = doctor->nranks < PLACES_MOST ? doctor->nranks : PLACES_MOST, most = 0;
	struct result table;

	for (int r = 0; r < doctor->nranks; r++)
		most = doctor->nodes[r].near.nnuma > most ? doctor->nodes[r].near.nnuma : most;
	printf("\nwhere ranks may run%s\n",
		most == 1 ? ": each node is one NUMA node"
			  : ", and what is on the same NUMA nodes");
	places_make(doctor, shown, &table);
	table_print(&table);
	if (shown < doctor->nranks)
		printf("%d more in --format json\n", doctor->nranks - shown);
}

void doctor_print(const struct doctor *doctor)
{
	int width = terminal_width(stdout);

	nodes_print(doctor);
	if (doctor->machines)
		expected_print(doctor);
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		if (doctor->nodes[0].note[i][0])
			printf("%s: %s\n", doctor_kinds[i].what, doctor->nodes[0].note[i]);
	places_print(doctor);
	for (int which = 0; which < DOCTOR_COLLECTIVES; which++)
		if (doctor->sweeps[which].n)
			sweep_print(doctor, which);
	putchar('\n');
	for (size_t i = 0; i < doctor->troubles.n; i++) {
		fputs("! ", stdout);
		text_wrap(doctor->troubles.at[i], 2, width);
	}
	for (size_t i = 0; i < doctor->open.n; i++) {
		fputs("? ", stdout);
		text_wrap(doctor->open.at[i], 2, width);
	}
	if (!doctor->troubles.n && !doctor->open.n)
		puts("no trouble was found");
}

static void expected_json(struct json *json, const struct doctor_machine *machine)
{
	if (!machine)
		return;
	json_text(json, "machine", machine->name);
	json_object(json, "expected", JSON_INLINE);
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		if (machine->figure[i] > 0)
			json_number(json, doctor_kinds[i].name, machine->figure[i]);
	json_end(json);
}

static void node_json(struct json *json, const struct doctor *doctor,
	const struct doctor_node *node)
{
	json_object(json, NULL, JSON_LINES);
	json_text(json, "host", node->host);
	json_number(json, "lacked_cores", node->lacked);
	json_number(json, "clock_offset", node->clock_offset);
	json_number(json, "clock_error", node->clock_error);
	for (int i = 0; i < DOCTOR_FIGURES; i++) {
		if (i < DOCTOR_WRITE) {
			json_number(json, doctor_kinds[i].name, node->figure[i][0]);
			continue;
		}
		json_object(json, doctor_kinds[i].name, JSON_INLINE);
		for (int k = 0; k < doctor->wanted.nfolders; k++)
			json_number(json, doctor->wanted.folders[k], node->figure[i][k]);
		json_end(json);
	}
	expected_json(json, doctor_machine_of(doctor, node));
	json_object(json, "how", JSON_INLINE);
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		if (node->note[i][0])
			json_text(json, doctor_kinds[i].name, node->note[i]);
	json_end(json);
	json_object(json, "settings", JSON_INLINE);
	for (int i = 0; i < DOCTOR_SETTINGS; i++)
		if (node->setting[i][0])
			json_text(json, doctor_setting_names[i], node->setting[i]);
	json_end(json);
	json_end(json);
}

void doctor_json(const struct doctor *doctor)
{
	struct json json = { .out = stdout };
	struct result table;

	json_object(&json, NULL, JSON_LINES);
	json_integer(&json, "ranks", doctor->nranks);
	json_object(&json, "units", JSON_INLINE);
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		json_text(&json, doctor_kinds[i].name, doctor_kinds[i].unit);
	json_end(&json);
	json_array(&json, "nodes", JSON_LINES);
	for (int r = 0; r < doctor->nranks; r++)
		if (doctor->nodes[r].measured)
			node_json(&json, doctor, &doctor->nodes[r]);
	json_end(&json);
	for (int which = 0; which < DOCTOR_COLLECTIVES; which++) {
		sweep_make(doctor, which, &table);
		result_json(&json, doctor_collective_names[which], &table);
		result_free(&table);
	}
	places_make(doctor, doctor->nranks, &table);
	result_json(&json, "places", &table);
	result_free(&table);
	json_array(&json, "troubles", JSON_LINES);
	for (size_t i = 0; i < doctor->troubles.n; i++)
		json_text(&json, NULL, doctor->troubles.at[i]);
	json_end(&json);
	json_array(&json, "undecided", JSON_LINES);
	for (size_t i = 0; i < doctor->open.n; i++)
		json_text(&json, NULL, doctor->open.at[i]);
	json_end(&json);
	json_end(&json);
}
