/* compare_json.c - tacho compare for programs: the same figures as one JSON object. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "compare/compare.h"

/* All text has been cleaned as it was read: it has no control characters and is UTF-8. */
static void json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void json_number(const char *name, double value)
{
	if (isfinite(value))
		printf("\"%s\": %.17g", name, value);
	else
		printf("\"%s\": null", name);
}

static void json_row(const struct report_result *result, size_t row)
{
	putchar('{');
	for (int i = 0; i < result->ncols; i++) {
		const struct report_cell *cell = result_cell(result, row, i);
		const char *name = result->columns[i].title;

		if (i > 0)
			fputs(", ", stdout);
		if (cell->null || cell->is_number) {
			json_number(name, cell->number);
			continue;
		}
		printf("\"%s\": ", name);
		json_string(cell->text);
	}
	putchar('}');
}

static void json_rows(const char *name, const struct report_result *result)
{
	printf(",\n\"%s\": [", name);
	for (size_t row = 0; row < result->nrows; row++) {
		fputs(row ? ",\n  " : "\n  ", stdout);
		json_row(result, row);
	}
	fputs("]", stdout);
}

static void json_change(const struct compare *compare, const char *name,
	const struct change *change)
{
	printf(",\n\"%s\": {\"of\": ", name);
	json_string(compare->unit);
	fputs(", ", stdout);
	json_number("base_ns", change->base_ns);
	fputs(", ", stdout);
	json_number("new_ns", change->new_ns);
	fputs(", ", stdout);
	json_number("share", change->share);
	fputs(", ", stdout);
	json_number("low", change->low);
	fputs(", ", stdout);
	json_number("high", change->high);
	printf(", \"base_blocks\": %d, \"new_blocks\": %d, ", change->nbase, change->nnew);
	json_number("threshold", compare->threshold);
	printf(", \"decided\": %s}", change_is_open(change, compare->threshold) ? "false" : "true");
}

static void json_gate(const struct gate *gate)
{
	static const char *const states[] = { [GATE_PASSED] = "passed",
		[GATE_OPEN] = "not decided",
		[GATE_FAILED] = "failed" };

	printf(",\n\"gate\": {\"state\": \"%s\", \"failed\": ", states[gate->state]);
	json_string(gate->failed ? gate->failed : "");
	fputs(", \"not_decided\": ", stdout);
	json_string(gate->open ? gate->open : "");
	putchar('}');
}

void compare_json(const struct compare *compare, const struct gate *gate)
{
	fputs("{\"base\": ", stdout);
	json_row(&compare->runs, 0);
	fputs(",\n\"new\": ", stdout);
	json_row(&compare->runs, 1);
	json_change(compare, "change", &compare->change);
	json_change(compare, "mean", &compare->mean);
#define PART(name) json_rows(#name, &compare->name);
	COMPARE_PARTS(PART)
#undef PART
	if (gate)
		json_gate(gate);
	puts("}");
}
