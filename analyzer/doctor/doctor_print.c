/* doctor_print.c - what tacho doctor says: tables and a line per trouble for people, JSON for programs. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/term_table.h"
#include "doctor/doctor.h"

/* Whether any node has it. */
static bool any_has(const struct doctor *doctor, int figure, int place)
{
	for (int r = 0; r < doctor->nranks; r++)
		if (doctor->nodes[r].measured && !isnan(doctor->nodes[r].figure[figure][place]))
			return true;
	return false;
}

static void nodes_print(const struct doctor *doctor, int width)
{
	struct term_table table = { .ncols = 2 };

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
		term_table_cell(&table, "%s x %s", node->setting[DOCTOR_IS_CORES],
			node->setting[DOCTOR_IS_CPU]);
	}
	term_table_print(&table, width);
}

static void reduces_print(const struct doctor *doctor, int width)
{
	struct term_table table = { .ncols = 4 };

	printf("\nall-reduce over %d ranks\n", doctor->nranks);
	term_table_cell(&table, "bytes");
	term_table_cell(&table, "us");
	term_table_cell(&table, "bus Gb/s");
	term_table_cell(&table, "%s", "");
	for (int i = 0; i < doctor->nreduce; i++) {
		term_table_cell(&table, "%zu", doctor->reduce[i].bytes);
		term_table_cell(&table, "%.1f", 1e6 * doctor->reduce[i].seconds);
		term_table_cell(&table, "%.3g", doctor->reduce[i].bus_gbps);
		term_table_cell(&table, "%s", "");
	}
	term_table_print(&table, width);
}

void doctor_print(const struct doctor *doctor)
{
	int width = terminal_width(stdout);

	nodes_print(doctor, width);
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		if (doctor->nodes[0].note[i][0])
			printf("%s: %s\n", doctor_kinds[i].what, doctor->nodes[0].note[i]);
	if (doctor->nreduce)
		reduces_print(doctor, width);
	putchar('\n');
	for (size_t i = 0; i < doctor->troubles.n; i++) {
		fputs("! ", stdout);
		text_wrap(doctor->troubles.at[i], 2, width);
	}
	if (!doctor->troubles.n)
		puts("no trouble was found");
}

static void node_json(struct json *json, const struct doctor *doctor,
	const struct doctor_node *node)
{
	json_object(json, NULL, JSON_LINES);
	json_text(json, "host", node->host);
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
	json_array(&json, "all_reduce", JSON_LINES);
	for (int i = 0; i < doctor->nreduce; i++) {
		json_object(&json, NULL, JSON_INLINE);
		json_integer(&json, "bytes", (int64_t)doctor->reduce[i].bytes);
		json_number(&json, "seconds", doctor->reduce[i].seconds);
		json_number(&json, "bus_gbps", doctor->reduce[i].bus_gbps);
		json_end(&json);
	}
	json_end(&json);
	json_array(&json, "troubles", JSON_LINES);
	for (size_t i = 0; i < doctor->troubles.n; i++)
		json_text(&json, NULL, doctor->troubles.at[i]);
	json_end(&json);
	json_end(&json);
}
