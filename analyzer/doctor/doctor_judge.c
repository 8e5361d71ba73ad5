/*
 * doctor_judge.c - finds problems of nodes: compares each with the others, with its history and
 * with its expected figures.
 */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/median.h"
#include "doctor/doctor.h"
#include "doctor/doctor_expected.h"

#define CLOCK_MOST_S 1e-3 /* of offset between nodes, which NTP keeps below */

__attribute__((format(printf, 2, 0))) static void sentence_add(doctor_sentences *to,
	const char *format, va_list args)
{
	char *text, **slot;

	if (vasprintf(&text, format, args) < 0)
		return;
	slot = ARRAY_ADD(to);
	if (slot)
		*slot = text;
	else
		free(text);
}

__attribute__((format(printf, 2, 3))) static void say(struct doctor *doctor, const char *format,
	...)
{
	va_list args;

	va_start(args, format);
	sentence_add(&doctor->troubles, format, args);
	va_end(args);
}

/* A sentence about what cannot be decided. */
__attribute__((format(printf, 2, 3))) static void leave_open(struct doctor *doctor,
	const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sentence_add(&doctor->open, format, args);
	va_end(args);
}

static bool lacked_cores(const struct doctor_node *node)
{
	return node->lacked > DOCTOR_LACKED_MOST;
}

/*
 * A figure that the node might reach with all its cores: missing cores slow the work itself, and
 * again any part that waits for another thread of it.
 */
static double at_best(const struct doctor_node *node, double value)
{
	double had = 1 - (lacked_cores(node) ? node->lacked : 0);

	return value / (had * had);
}

/* The median of the other nodes, of which n have the figure; NAN: none. */
static double others_median(const struct doctor *doctor, int but, enum doctor_figure figure,
	int place, int *n)
{
	double *values = calloc((size_t)doctor->nranks, sizeof(*values)), median = NAN;

	*n = 0;
	for (int r = 0; values && r < doctor->nranks; r++)
		if (r != but && doctor->nodes[r].measured &&
			!isnan(doctor->nodes[r].figure[figure][place]))
			values[(*n)++] = doctor->nodes[r].figure[figure][place];
	if (*n)
		median = median_of(values, (size_t)*n);
	free(values);
	return median;
}

/* A link has two ends, so with two nodes the faulty one is unknown. */
static void outliers_find(struct doctor *doctor, enum doctor_figure figure, int place)
{
	const struct doctor_kind *kind = &doctor_kinds[figure];
	bool stored = figure >= DOCTOR_WRITE;

	for (int r = 0; r < doctor->nranks; r++) {
		const struct doctor_node *node = &doctor->nodes[r];
		double value = node->figure[figure][place], median;
		int n;

		median = others_median(doctor, r, figure, place, &n);
		if (!node->measured || isnan(value) || n < (figure == DOCTOR_LINK ? 2 : 1) ||
			!(median > kind->factor * at_best(node, value)))
			continue;
		say(doctor,
			"%s: %s%s%s: %.1f times slower than on the other node%s, %.3g instead of %.3g %s: %s",
			node->host, kind->what, stored ? " in " : "",
			stored ? doctor->wanted.folders[place] : "", median / value,
			n > 1 ? "s" : "", value, median, kind->unit, kind->advice);
	}
}

/* A figure against what its node measured before. */
static void usual_compare(struct doctor *doctor, const struct doctor_node *node,
	enum doctor_figure figure, int place)
{
	const struct doctor_kind *kind = &doctor_kinds[figure];
	const struct doctor_usual *usual = &node->usual[figure][place];
	double value = node->figure[figure][place];
	bool stored = figure >= DOCTOR_WRITE;

	if (usual->n && usual->value > kind->factor * value)
		(usual->value > kind->factor * at_best(node, value) ? say : leave_open)(doctor,
			"%s: %s%s%s: %.2g of the usual %.3g %s (median of %d measurements): %s",
			node->host, kind->what, stored ? " in " : "",
			stored ? doctor->wanted.folders[place] : "", value / usual->value,
			usual->value, kind->unit, usual->n, kind->advice);
}

/* Compares a figure with the expected one for the node's kind of machine. */
static void expected_compare(struct doctor *doctor, const struct doctor_node *node,
	enum doctor_figure figure, int place)
{
	const struct doctor_kind *kind = &doctor_kinds[figure];
	const struct doctor_machine *machine = doctor_machine_of(doctor, node);
	double value = node->figure[figure][place], want = machine ? machine->figure[figure] : 0;
	bool stored = figure >= DOCTOR_WRITE;

	if (want > kind->factor * value)
		(want > kind->factor * at_best(node, value) ? say : leave_open)(doctor,
			"%s: %s%s%s: %.2g of the expected %.4g %s (%s): %s", node->host, kind->what,
			stored ? " in " : "", stored ? doctor->wanted.folders[place] : "",
			value / want, want, kind->unit, machine->name, kind->advice);
}

/* How many nodes have the setting of node r, and what most of the others have. */
static int alike(const struct doctor *doctor, int r, int setting)
{
	int n = 0;

	for (int k = 0; k < doctor->nranks; k++)
		n += doctor->nodes[k].measured &&
			strcmp(doctor->nodes[k].setting[setting],
				doctor->nodes[r].setting[setting]) == 0;
	return n;
}

static void settings_compare(struct doctor *doctor, int setting)
{
	int most = -1, n = 0;

	for (int r = 0; r < doctor->nranks; r++) {
		n += doctor->nodes[r].measured;
		if (doctor->nodes[r].measured &&
			(most < 0 || alike(doctor, r, setting) > alike(doctor, most, setting)))
			most = r;
	}
	for (int r = 0; r < doctor->nranks && most >= 0; r++) {
		const struct doctor_node *node = &doctor->nodes[r];
		const char *value = node->setting[setting],
			   *usual = doctor->nodes[most].setting[setting];

		if (node->measured && strcmp(value, usual) != 0)
			say(doctor, "%s: %s is %s, and %s on %d of %d nodes: set them up alike",
				node->host, doctor_setting_names[setting],
				*value ? value : "missing", *usual ? usual : "missing",
				alike(doctor, most, setting), n);
	}
}

/* Ranks of a node that have fewer cores together than they are. */
static void pinning_look(struct doctor *doctor, int first)
{
	cpu_set_t all;
	int n = 0;

	CPU_ZERO(&all);
	for (int r = 0; r < doctor->nranks; r++)
		if (strcmp(doctor->nodes[r].host, doctor->nodes[first].host) == 0) {
			CPU_OR(&all, &all, &doctor->nodes[r].cores);
			n++;
		}
	if (n > CPU_COUNT(&all))
		say(doctor,
			"%s: %d ranks share %d core%s: bind them apart (mpirun --map-by, srun "
			"--cpu-bind), or start fewer",
			doctor->nodes[first].host, n, CPU_COUNT(&all),
			CPU_COUNT(&all) == 1 ? "" : "s");
}

/* The error of the clock that is nearest to `offset`. */
static double error_at(const struct doctor *doctor, double offset)
{
	const struct doctor_node *nearest = &doctor->nodes[0];

	for (int r = 1; r < doctor->nranks; r++)
		if (fabs(doctor->nodes[r].clock_offset - offset) <
			fabs(nearest->clock_offset - offset))
			nearest = &doctor->nodes[r];
	return nearest->clock_error;
}

/* Clocks against the median of all nodes; of two, the second against the first. */
static void clocks_compare(struct doctor *doctor)
{
	double *offsets = calloc((size_t)doctor->nranks, sizeof(*offsets)), usual = 0, error = 0;
	size_t n = 0;

	for (int r = 0; offsets && r < doctor->nranks; r++)
		if (!isnan(doctor->nodes[r].clock_offset))
			offsets[n++] = doctor->nodes[r].clock_offset;
	if (n > 2) {
		usual = median_of(offsets, n);
		error = error_at(doctor, usual);
	}
	for (int r = 0; r < doctor->nranks; r++) {
		const struct doctor_node *node = &doctor->nodes[r];
		double off = node->clock_offset - usual;

		if (!isnan(off) && fabs(off) > fmax(CLOCK_MOST_S, 3 * (error + node->clock_error)))
			say(doctor,
				"%s: its clock is %.3g ms %s %s (to %.2g ms): run chrony, NTP or PTP",
				node->host, 1e3 * fabs(off), off > 0 ? "ahead of" : "behind",
				n > 2 ? "those of most nodes" : doctor->nodes[0].host,
				1e3 * (error + node->clock_error));
	}
	free(offsets);
}

void doctor_judge(struct doctor *doctor)
{
	for (int figure = 0; figure < DOCTOR_FIGURES; figure++)
		for (int place = 0; place < doctor_places(doctor, figure); place++)
			outliers_find(doctor, figure, place);
	for (int setting = 0; setting < DOCTOR_SETTINGS; setting++)
		settings_compare(doctor, setting);
	clocks_compare(doctor);
	for (int r = 0; r < doctor->nranks; r++) {
		const struct doctor_node *node = &doctor->nodes[r];

		if (!node->measured)
			continue;
		if (lacked_cores(node))
			leave_open(doctor,
				"%s: other programs or a quota took %.0f %% of the CPU time of the "
				"measurements, and the node can do more than these figures: "
				"measure again while it is idle",
				node->host, 100 * node->lacked);
		for (int figure = 0; figure < DOCTOR_FIGURES; figure++)
			for (int place = 0; place < doctor_places(doctor, figure); place++) {
				usual_compare(doctor, node, figure, place);
				expected_compare(doctor, node, figure, place);
			}
		pinning_look(doctor, r);
		doctor_binding(doctor, r, say);
		for (int i = 0; i < node->ntroubles; i++)
			say(doctor, "%s: %s", node->host, node->trouble[i]);
	}
}
