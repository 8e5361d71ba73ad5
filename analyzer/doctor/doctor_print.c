/* doctor_print.c - the output of tacho doctor: tables and a line per problem as text, or JSON. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/term_table.h"
#include "doctor/doctor.h"
#include "doctor/doctor_cuda.h"
#include "doctor/doctor_expected.h"

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

static void nodes_print(const struct doctor *doctor, int width)
{
	struct term_table table = { .ncols = 2 };

	bool clocks = offsets_are_there(doctor);

	table.ncols += clocks;
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		for (int k = 0; k < doctor_places(doctor, i); k++)
			table.ncols += any_has(doctor, i, k);
	term_table_cell(&table, "node");
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		for (int k = 0; k < doctor_places(doctor, i); k++)
			if (any_has(doctor, i, k))
				term_table_cell(&table, "%s%s%s, %s", doctor_kinds[i].what,
					i >= DOCTOR_WRITE ? " " : "",
					i >= DOCTOR_WRITE ? doctor->wanted.folders[k] : "",
					doctor_kinds[i].unit);
	if (clocks)
		term_table_cell(&table, "time of day off by, us");
	term_table_cell(&table, "processor");
	for (int r = 0; r < doctor->nranks; r++) {
		const struct doctor_node *node = &doctor->nodes[r];

		if (!node->measured)
			continue;
		term_table_cell(&table, "%s", node->host);
		for (int i = 0; i < DOCTOR_FIGURES; i++)
			for (int k = 0; k < doctor_places(doctor, i); k++)
				if (any_has(doctor, i, k))
					isnan(node->figure[i][k]) ? term_table_cell(&table, "-")
								  : term_table_cell(&table, "%.3g",
									    node->figure[i][k]);
		if (clocks)
			term_table_cell(&table, "%.1f", 1e6 * node->clock_offset);
		term_table_cell(&table, "%s x %s", node->setting[DOCTOR_IS_CORES],
			node->setting[DOCTOR_IS_CPU]);
	}
	term_table_print(&table, width);
}

static void expected_header(struct term_table *table)
{
	static const char *const names[] = { "node", "figure", "measured", "expected", "of it",
		"machine" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		term_table_cell(table, "%s", names[i]);
}

/* Prints each figure beside the expected one for the node's kind of machine. */
static void expected_print(const struct doctor *doctor, int width)
{
	struct term_table table = { .ncols = 6 };
	bool any = false;

	for (int r = 0; r < doctor->nranks; r++) {
		const struct doctor_node *node = &doctor->nodes[r];
		const struct doctor_machine *machine = node->measured
			? doctor_machine_of(doctor, node)
			: NULL;

		for (int i = 0; machine && i < DOCTOR_FIGURES; i++)
			for (int k = 0; k < doctor_places(doctor, i); k++) {
				double value = node->figure[i][k], want = machine->figure[i];

				if (isnan(value) || !(want > 0))
					continue;
				if (!any)
					expected_header(&table);
				any = true;
				term_table_cell(&table, "%s", node->host);
				term_table_cell(&table, "%s%s%s", doctor_kinds[i].what,
					i >= DOCTOR_WRITE ? " in " : "",
					i >= DOCTOR_WRITE ? doctor->wanted.folders[k] : "");
				term_table_cell(&table, "%.3g", value);
				term_table_cell(&table, "%.4g %s", want, doctor_kinds[i].unit);
				term_table_cell(&table, "%.2f", value / want);
				term_table_cell(&table, "%s", machine->name);
			}
	}
	if (any)
		putchar('\n');
	else
		puts("\nnothing is expected of these nodes: no kind of machine of the file is theirs");
	if (any)
		term_table_print(&table, width);
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

static void sweep_print(const struct doctor *doctor, int which, int width)
{
	const struct doctor_sweep *sweep = &doctor->sweeps[which];
	struct term_table table = { .ncols = 4 };

	printf("\n%s over %d %s\n", collectives[which].title, sweep->members,
		collectives[which].of ? collectives[which].of : doctor_gpus_text(sweep->members));
	term_table_cell(&table, "bytes");
	term_table_cell(&table, "us");
	term_table_cell(&table, "bus Gb/s");
	term_table_cell(&table, "%s", "");
	for (int i = 0; i < sweep->n; i++) {
		double want = doctor_point_expected(doctor, which, sweep->points[i].bytes);

		term_table_cell(&table, "%zu", sweep->points[i].bytes);
		term_table_cell(&table, "%.1f", 1e6 * sweep->points[i].seconds);
		term_table_cell(&table, "%.3g", sweep->points[i].bus_gbps);
		if (want > 0)
			term_table_cell(&table, "%.2f of the expected %.4g",
				sweep->points[i].bus_gbps / want, want);
		else
			term_table_cell(&table, "%s", "");
	}
	term_table_print(&table, width);
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

struct place {
	char cores[64], numa[64], gpus[256], nics[256];
};

static void place_find(const struct doctor *doctor, int rank, struct place *place)
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

static void places_print(const struct doctor *doctor, int width)
{
	struct term_table table = { .ncols = 6 };
	int shown = doctor->nranks < PLACES_MOST ? doctor->nranks : PLACES_MOST, most = 0;

	for (int r = 0; r < doctor->nranks; r++)
		most = doctor->nodes[r].near.nnuma > most ? doctor->nodes[r].near.nnuma : most;
	printf("\nwhere ranks may run%s\n",
		most == 1 ? ": each node is one NUMA node"
			  : ", and what is on the same NUMA nodes");
	term_table_cell(&table, "rank");
	term_table_cell(&table, "node");
	term_table_cell(&table, "cores");
	term_table_cell(&table, "NUMA");
	term_table_cell(&table, "GPUs");
	term_table_cell(&table, "networks");
	for (int r = 0; r < shown; r++) {
		struct place place;

		place_find(doctor, r, &place);
		term_table_cell(&table, "%d", r);
		term_table_cell(&table, "%s", doctor->nodes[r].host);
		term_table_cell(&table, "%s", place.cores);
		term_table_cell(&table, "%s", *place.numa ? place.numa : "-");
		term_table_cell(&table, "%s", *place.gpus ? place.gpus : "-");
		term_table_cell(&table, "%s", *place.nics ? place.nics : "-");
	}
	term_table_print(&table, width);
	if (shown < doctor->nranks)
		printf("%d more in --format json\n", doctor->nranks - shown);
}

void doctor_print(const struct doctor *doctor)
{
	int width = terminal_width(stdout);

	nodes_print(doctor, width);
	if (doctor->machines)
		expected_print(doctor, width);
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		if (doctor->nodes[0].note[i][0])
			printf("%s: %s\n", doctor_kinds[i].what, doctor->nodes[0].note[i]);
	places_print(doctor, width);
	for (int which = 0; which < DOCTOR_COLLECTIVES; which++)
		if (doctor->sweeps[which].n)
			sweep_print(doctor, which, width);
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

static void sweep_json(struct json *json, const char *key, const struct doctor_sweep *sweep)
{
	json_array(json, key, JSON_LINES);
	for (int i = 0; i < sweep->n; i++) {
		json_object(json, NULL, JSON_INLINE);
		json_integer(json, "bytes", (int64_t)sweep->points[i].bytes);
		json_number(json, "seconds", sweep->points[i].seconds);
		json_number(json, "bus_gbps", sweep->points[i].bus_gbps);
		json_end(json);
	}
	json_end(json);
}

static void place_json(struct json *json, const struct doctor *doctor, int rank)
{
	struct place place;

	place_find(doctor, rank, &place);
	json_object(json, NULL, JSON_INLINE);
	json_integer(json, "rank", rank);
	json_text(json, "host", doctor->nodes[rank].host);
	json_text(json, "cores", place.cores);
	json_text(json, "numa", place.numa);
	json_text(json, "gpus", place.gpus);
	json_text(json, "networks", place.nics);
	json_end(json);
}

void doctor_json(const struct doctor *doctor)
{
	struct json json = { .out = stdout };

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
	for (int which = 0; which < DOCTOR_COLLECTIVES; which++)
		sweep_json(&json, doctor_collective_names[which], &doctor->sweeps[which]);
	json_array(&json, "places", JSON_LINES);
	for (int r = 0; r < doctor->nranks; r++)
		place_json(&json, doctor, r);
	json_end(&json);
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
