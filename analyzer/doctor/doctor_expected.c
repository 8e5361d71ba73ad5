/* doctor_expected.c - see doctor_expected.h. The format is described in tacho(1). */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "doctor/doctor_expected.h"

const char *const doctor_collective_names[DOCTOR_COLLECTIVES] = {
	[DOCTOR_ALLREDUCE] = "all_reduce",
	[DOCTOR_ALLTOALL] = "all_to_all",
	[DOCTOR_NCCL_ALLREDUCE] = "nccl_all_reduce",
	[DOCTOR_NCCL_ALLTOALL] = "nccl_all_to_all",
};

/* Where the present line is. */
struct line_position {
	const char *path;
	int line;
};

static char *trimmed(char *text)
{
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	n = strlen(text);
	while (n && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	return text;
}

/* A number above 0 and its unit, if that is given. 0, or -1 (reported). */
static int number_read(const struct line_position *at, const char *key, const char *text,
	const char *unit, double *number)
{
	char *end;

	*number = strtod(text, &end);
	if (end == text || !(*number > 0) || !(*number < 1e30)) {
		log_error("%s, line %d: %s is '%s': expected a number above 0", at->path, at->line,
			key, text);
		return -1;
	}
	end = trimmed(end);
	if (*end && strcmp(end, unit) != 0) {
		log_error("%s, line %d: %s is in %s, not in %s", at->path, at->line, key, unit,
			end);
		return -1;
	}
	return 0;
}

/* "1M": bytes, in powers of 1,024; 0: it is none. */
static size_t size_read(const char *text)
{
	static const char units[] = "KMG";
	char *end;
	unsigned long long size = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (end == text || *text == '-' || (*end && (!unit || end[1])) || size >= 1ull << 32)
		return 0;
	return (size_t)(size << (unit ? 10 * (unit - units + 1) : 0));
}

/* "all_reduce 1M" = 180. 0; 1: the key is none of these; or -1 (reported). */
static int point_read(const struct line_position *at, struct doctor_machine *machine,
	const char *key, const char *value)
{
	for (int i = 0; i < DOCTOR_COLLECTIVES; i++) {
		size_t n = strlen(doctor_collective_names[i]), bytes;
		double gbps;

		if (strncmp(key, doctor_collective_names[i], n) != 0 ||
			!isspace((unsigned char)key[n]))
			continue;
		bytes = size_read(key + n + strspn(key + n, " \t"));
		if (!bytes || machine->npoints == DOCTOR_EXPECTED_POINTS) {
			log_error("%s, line %d: '%s': expected a size like 1M behind %s", at->path,
				at->line, key, doctor_collective_names[i]);
			return -1;
		}
		if (number_read(at, key, value, "Gb/s", &gbps) < 0)
			return -1;
		machine->points[machine->npoints].which = i;
		machine->points[machine->npoints].bytes = bytes;
		machine->points[machine->npoints++].bus_gbps = gbps;
		return 0;
	}
	return 1;
}

static int key_read(const struct line_position *at, struct doctor_machine *machine, const char *key,
	const char *value)
{
	char **pattern = strcmp(key, "host") == 0 ? &machine->host
		: strcmp(key, "cpu") == 0	  ? &machine->cpu
		: strcmp(key, "gpu") == 0	  ? &machine->gpu
						  : NULL;
	int ret;

	if (pattern) {
		free(*pattern);
		*pattern = strdup(value);
		return *pattern ? 0 : -1;
	}
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		if (strcmp(key, doctor_kinds[i].name) == 0)
			return number_read(at, key, value, doctor_kinds[i].unit,
				&machine->figure[i]);
	ret = point_read(at, machine, key, value);
	if (ret > 0)
		log_error(
			"%s, line %d: '%s' is none of host, cpu, gpu, the figures of tacho doctor "
			"(memory_triad, gemm, ...) and collectives with a size (all_reduce 1M)",
			at->path, at->line, key);
	return ret ? -1 : 0;
}

/* 0, or -1 (reported). */
static int line_read(struct doctor_machines *machines, const struct line_position *at, char *line)
{
	char *equals = strchr(line, '='), *close = strchr(line, ']');
	struct doctor_machine *machine;

	if (!*line || *line == '#')
		return 0;
	if (*line == '[' && close && close[1] == '\0' && close > line + 1) {
		machine = ARRAY_ADD(machines);
		if (!machine)
			return -1;
		*machine = (struct doctor_machine){ .name = strndup(line + 1,
							    (size_t)(close - line - 1)) };
		return machine->name ? 0 : -1;
	}
	if (!equals || !machines->n) {
		log_error("%s, line %d: expected %s", at->path, at->line,
			equals ? "[NAME] of a kind of machine before the first figure"
			       : "[NAME], or a figure like memory_triad = 200 GB/s");
		return -1;
	}
	*equals = '\0';
	return key_read(at, &machines->at[machines->n - 1], trimmed(line), trimmed(equals + 1));
}

int doctor_expected_read(struct doctor_machines *machines, const char *path)
{
	struct line_position at = { .path = path };
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int ret = file ? 0 : -1;

	while (ret == 0 && getline(&line, &size, file) >= 0) {
		at.line++;
		ret = line_read(machines, &at, trimmed(line));
	}
	if (!file || (ret == 0 && ferror(file))) {
		log_error("cannot read %s: %s", path, strerror(errno));
		ret = -1;
	} else if (ret == 0 && !machines->n) {
		log_error("%s has no [NAME] of a kind of machine", path);
		ret = -1;
	}
	free(line);
	if (file)
		fclose(file);
	return ret;
}

void doctor_expected_free(struct doctor_machines *machines)
{
	for (size_t i = 0; i < machines->n; i++) {
		free(machines->at[i].name);
		free(machines->at[i].host);
		free(machines->at[i].cpu);
		free(machines->at[i].gpu);
	}
	free(machines->at);
	*machines = (struct doctor_machines){ 0 };
}

static bool fits(const char *pattern, const char *text)
{
	return !pattern || fnmatch(pattern, text, 0) == 0;
}

const struct doctor_machine *doctor_machine_of(const struct doctor *doctor,
	const struct doctor_node *node)
{
	for (size_t i = 0; doctor->machines && i < doctor->machines->n; i++) {
		const struct doctor_machine *machine = &doctor->machines->at[i];

		if (fits(machine->host, node->host) &&
			fits(machine->cpu, node->setting[DOCTOR_IS_CPU]) &&
			fits(machine->gpu, node->setting[DOCTOR_IS_GPUS]))
			return machine;
	}
	return NULL;
}

double doctor_point_expected(const struct doctor *doctor, enum doctor_collective which,
	size_t bytes)
{
	const struct doctor_machine *machine = doctor_machine_of(doctor, &doctor->nodes[0]);

	for (int i = 0; machine && i < machine->npoints; i++)
		if (machine->points[i].which == which && machine->points[i].bytes == bytes)
			return machine->points[i].bus_gbps;
	return 0;
}
