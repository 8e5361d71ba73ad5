/* compare_gate.c - what tacho compare fails on: see compare.h. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "base/log.h"

int gate_figure_parse(struct gate_figure *figure, const char *text, double limit)
{
	const char *colon = strrchr(text, ':'), *at;
	char *end;
	double percent = colon ? strtod(colon + 1, &end) : NAN;
	bool limited = colon && end > colon + 1 && !*end;
	size_t length = limited ? (size_t)(colon - text) : strlen(text);

	*figure = (struct gate_figure){ .limit = limit };
	if (limited && !isfinite(percent))
		return -1;
	if (limited) {
		figure->limit = fabs(percent) / 100;
		figure->sign = colon[1] == '+' ? 1 : colon[1] == '-' ? -1 : 0;
	}
	at = memchr(text, '@', length);
	figure->name = strndup(text, at ? (size_t)(at - text) : length);
	figure->window = at ? strndup(at + 1, text + length - at - 1) : strdup("run");
	return figure->name && figure->window && strchr(figure->name, '.') && figure->window[0]
		? 0
		: -1;
}

void gate_free(struct gate *gate)
{
	for (int i = 0; gate->figures && i < gate->nfigures; i++) {
		free(gate->figures[i].name);
		free(gate->figures[i].window);
	}
	free(gate->figures);
	free(gate->failed);
	free(gate->open);
}

/* Adds a sentence; failures come before open points. */
__attribute__((format(printf, 3, 4))) static void say(struct gate *gate, enum gate_state state,
	const char *format, ...)
{
	char **all = state == GATE_FAILED ? &gate->failed : &gate->open, *text, *both;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text && *all && asprintf(&both, "%s; %s", *all, text) >= 0) {
		free(*all);
		free(text);
		text = both;
	}
	*all = text ? text : *all;
	if (state > gate->state)
		gate->state = state;
}

static bool ended_badly(const struct compare *compare, int side)
{
	return compare_number(compare, side, "cut") > 0 ||
		fabs(compare_number(compare, side, "status")) > 0;
}

/* Why the times are not comparable, or their noise is unknown; NULL: neither. */
static const char *times_differ(const struct compare *compare)
{
	const char *base = compare_text(compare, 0, "phase");
	const char *new = compare_text(compare, 1, "phase");
	double marked = compare_number(compare, 0, "marked");
	double new_marked = compare_number(compare, 1, "marked");

	if (!base != !new)
		return "only one of the runs has steps";
	if (fabs(marked - new_marked) > 0)
		return "only one of the runs marks its steps";
	if (!base && (ended_badly(compare, 0) || ended_badly(compare, 1)))
		return "a run failed or was truncated, and its time is not comparable";
	if (isnan(compare->change.share))
		return "the runs have no time to compare";
	if (!base)
		return NULL;
	if (strcmp(base, new) != 0)
		return "the steps belong to different phases";
	return isnan(compare->change.low)
		? "a run has only one step, so that its noise is not known"
		: NULL;
}

/* " (+3.1 % to +6.2 %)"; "" where it is not known. */
static const char *interval_text(char buf[64], const struct change *change)
{
	buf[0] = '\0';
	if (!isnan(change->low))
		snprintf(buf, 64, " (%+.1f %% to %+.1f %%)", 100 * change->low, 100 * change->high);
	return buf;
}

/* For certain, as far as there is an interval. */
static bool is_slower(const struct change *change, double threshold)
{
	return (isnan(change->low) ? change->share : change->low) > threshold;
}

/* Slower, but not by more than the runs next to the base differ without a change. */
static bool is_within_runs(const struct compare *compare, const struct change *change)
{
	return is_slower(change, compare->threshold) &&
		(1 + change->share) / (1 + compare->apart.share) - 1 <= compare->threshold;
}

static void decide_time(struct gate *gate, const struct compare *compare)
{
	const struct change *change = &compare->change, *mean = &compare->mean;
	const char *why = times_differ(compare);
	double percent = 100 * compare->threshold;
	const char *disturbed = compare_disturbed(compare, false);
	double less = (1 + change->share) / compare_disturbance(compare, false) - 1;
	double least = (1 + change->share) / compare_disturbance(compare, true) - 1;
	struct computing computing;
	char within[64];

	if (why)
		say(gate, GATE_OPEN, "%s", why);
	else if ((disturbed || change_is_open(change, compare->threshold)) &&
		compare_computing_is_slower(compare, &computing))
		say(gate, GATE_FAILED,
			"in the shortest steps, in which ranks had their cores, the slowest takes "
			"%.1f %% longer itself (%.3g instead of %.3g ms), %.1f %% of a step, the "
			"threshold is %g %%",
			100 * computing.share, computing.new_ns / 1e6, computing.base_ns / 1e6,
			100 * computing.of_step, percent);
	else if (disturbed && compare_is_beyond(compare))
		say(gate, GATE_OPEN,
			"%s, which is too much to decide; compare on an exclusive machine",
			disturbed);
	else if (disturbed)
		say(gate, GATE_OPEN,
			"%s: without that a %s would take %+.1f %% (%+.1f %% where it lost twice "
			"of that) and not %+.1f %% longer; compare on an exclusive machine",
			disturbed, compare->unit, 100 * less, 100 * least, 100 * change->share);
	else if (is_within_runs(compare, change) ||
		(!is_slower(change, compare->threshold) && is_within_runs(compare, mean)))
		say(gate, GATE_OPEN,
			"a %s takes %+.1f %%%s longer, the threshold is %g %%, but %s differ by "
			"up to %.1f %% themselves",
			compare->unit, 100 * change->share, interval_text(within, change), percent,
			compare->apart.runs ? "two of the last runs" : "two runs as short as these",
			100 * compare->apart.share);
	else if (is_slower(change, compare->threshold))
		say(gate, GATE_FAILED, "a %s takes %.1f %%%s longer, the threshold is %g %%",
			compare->unit, 100 * change->share, interval_text(within, change), percent);
	else if (change_is_open(change, compare->threshold))
		say(gate, GATE_OPEN,
			"the noise is larger than the threshold of %g %%: a %s takes "
			"%+.1f %%%s; compare longer runs, or on an exclusive machine",
			percent, compare->unit, 100 * change->share, interval_text(within, change));
	else if (is_slower(mean, compare->threshold))
		say(gate, GATE_FAILED,
			"some %ss are long: their mean time is %.1f %%%s longer, the "
			"threshold is %g %%",
			compare->unit, 100 * mean->share, interval_text(within, mean), percent);
}

#define OF_SIDE(column) "select " column " from metric m join pair p using (run_id) where p.side ="
#define NAMED                                                                                      \
	" and m.model || '.' || m.name = ?1 and m.\"window\" = ?2 and m.subject = '' "             \
	"and not (m.model = 'mpi' and m.run_id in (select run_id from unseen))"

/* The figure's value in a run; NAN: it has none. */
static double figure_value(struct compare *compare, const struct gate_figure *figure, int side)
{
	char *text = report_db_ask(&compare->db,
		side == 0 ? OF_SIDE("m.value") " 1" NAMED : OF_SIDE("m.value") " 2" NAMED,
		figure->name, figure->window, NULL);
	double value = text ? strtod(text, NULL) : NAN;

	free(text);
	return value;
}

static char *figure_unit(struct compare *compare, const struct gate_figure *figure)
{
	return report_db_ask(&compare->db, OF_SIDE("m.unit") " 1" NAMED, figure->name,
		figure->window, NULL);
}

/* Times, costs and counts (instructions) are better if lower, all other figures if higher. */
static int figure_sign(const struct gate_figure *figure, const char *unit)
{
	bool more = strcmp(unit, "ns") == 0 || strcmp(unit, "count") == 0 ||
		strstr(figure->name, "cost");

	return figure->sign ? figure->sign : more ? 1 : -1;
}

/* What the length of the run has a part in: times, and all that is about its whole. */
static bool figure_needs_end(const struct gate_figure *figure, const char *unit)
{
	return strcmp(figure->window, "run") == 0 || strcmp(unit, "ns") == 0;
}

/*
 * True for figures that CPU contention changes little, since it affects numerator and denominator
 * alike: bytes, calls, instructions, and the split of a rank's time outside of waits.
 */
static bool figure_is_robust(const struct gate_figure *figure, const char *unit)
{
	static const char *const names[] = { "host.io_efficiency",
		"host.synchronisation_efficiency", "host.device_offload_efficiency" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(figure->name, names[i]) == 0)
			return true;
	return strcmp(unit, "count") == 0 || strcmp(unit, "bytes") == 0;
}

/* True if the decision on the figure would change without interference. */
static bool figure_is_disturbed(const struct compare *compare, const struct gate_figure *figure,
	const char *unit, double worse)
{
	double without = worse - log(compare_disturbance(compare, true));

	return !figure_is_robust(figure, unit) &&
		(compare_is_beyond(compare) ||
			(worse > figure->limit) != (without > figure->limit));
}

static void decide_figure(struct gate *gate, struct compare *compare,
	const struct gate_figure *figure)
{
	double base = figure_value(compare, figure, 0), new = figure_value(compare, figure, 1);
	char *found = figure_unit(compare, figure);
	const char *unit = found ? found : "";
	int sign = figure_sign(figure, unit);
	double share = base == new ? 0 : new / base - 1;

	if (isnan(base) || isnan(new))
		say(gate, GATE_OPEN,
			"%s has no figure %s in %s (tacho stats RUN metrics lists "
			"them)",
			compare_text(compare, isnan(base) ? 0 : 1, "label"), figure->name,
			figure->window);
	else if (figure_needs_end(figure, unit) &&
		(ended_badly(compare, 0) || ended_badly(compare, 1)))
		say(gate, GATE_OPEN,
			"a run failed or was truncated, and %s in %s depends on its end",
			figure->name, figure->window);
	else if (!isfinite(share))
		say(gate, GATE_OPEN, "%s is 0 in %s", figure->name,
			compare_text(compare, 0, "label"));
	else if (figure_is_disturbed(compare, figure, unit, sign * share))
		say(gate, GATE_OPEN,
			"%s in %s changes by %+.1f %% from %.4g to %.4g, and CPU contention from "
			"other programs may change it by %+.1f %%",
			figure->name, figure->window, 100 * share, base, new,
			100 * sign * log(compare_disturbance(compare, true)));
	else if (sign * share > figure->limit)
		say(gate, GATE_FAILED,
			"%s in %s %s by %.1f %% from %.4g to %.4g, the threshold "
			"is %g %%",
			figure->name, figure->window, sign > 0 ? "rises" : "falls",
			100 * fabs(share), base, new, 100 * figure->limit);
	free(found);
}

/* False, with a message, if the runs have different sizes, which change times and efficiencies. */
static bool sizes_equal(struct gate *gate, const struct compare *compare)
{
	static const struct {
		const char *column, *name;
	} sizes[] = { { "ranks", "ranks" }, { "gpus", "GPUs" }, { "stand_ins", "emulated GPUs" } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double base = compare_number(compare, 0, sizes[i].column);
		double new = compare_number(compare, 1, sizes[i].column);

		if (base != new) {
			say(gate, GATE_OPEN, "the runs have %.0f and %.0f %s", base, new,
				sizes[i].name);
			return false;
		}
	}
	return true;
}

int gate_decide(struct gate *gate, struct compare *compare)
{
	bool comparable;

	gate->state = GATE_PASSED;
	comparable = sizes_equal(gate, compare);
	if (comparable && gate->time)
		decide_time(gate, compare);
	for (int i = 0; i < gate->nfigures && comparable; i++)
		decide_figure(gate, compare, &gate->figures[i]);
	if (gate->state == GATE_PASSED || (gate->state == GATE_FAILED ? gate->failed : gate->open))
		return 0;
	log_error("out of memory");
	return -1;
}
