/* study_file.c - a study as lines of key = value: read from study.conf, and kept in its folder. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "sweep/study.h"
#include "sweep/study_command.h"

/* Takes the blanks around a text away. */
static char *trimmed(char *text)
{
	size_t n;

	text += strspn(text, " \t\r\n");
	n = strlen(text);
	while (n && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	return text;
}

static int line_take(struct study *study, const char *path, int number, char *line)
{
	char *key = trimmed(line), *equals = strchr(key, '=');

	if (!*key || *key == '#')
		return 0;
	if (!equals) {
		log_error("%s, line %d: expected KEY = VALUE, not '%s'", path, number, key);
		return -1;
	}
	*equals = '\0';
	return study_set(study, trimmed(key), trimmed(equals + 1));
}

int study_read(struct study *study, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	if (!file) {
		log_error("cannot read the study %s: %s", path, strerror(errno));
		return -1;
	}
	for (int number = 1; ret == 0 && getline(&line, &size, file) >= 0; number++)
		ret = line_take(study, path, number, line);
	free(line);
	fclose(file);
	return ret;
}

static void list_write(FILE *out, const char *key, const study_texts *list)
{
	if (!list->n)
		return;
	fprintf(out, "%s = ", key);
	for (size_t i = 0; i < list->n; i++)
		fprintf(out, "%s%s", i ? ", " : "", list->at[i]);
	fputc('\n', out);
}

char *study_text(const struct study *study)
{
	char *text = NULL, *command = study_command_line(study);
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out || !command)
		goto out;
	fprintf(out, "command = %s\nlauncher = %s\n", command, study_launchers[study->launcher]);
	list_write(out, "ranks", &study->ranks);
	list_write(out, "nodes", &study->nodes);
	for (size_t i = 0; i < study->knobs.n; i++) {
		fprintf(out, "knob.%s", study->knobs.at[i].name);
		list_write(out, "", &study->knobs.at[i].values);
	}
	if (study->search)
		fprintf(out, "search = %s\n", study_searches[study->search]);
	if (study->step_range)
		fprintf(out, "step-range = %s\n", study->step_range);
	if (study->target)
		fprintf(out, "target = %s\n", study->target);
	fprintf(out, "seed = %lld\nrepeat = %d\n", (long long)study->seed, study->repeat);
out:
	free(command);
	if (out && fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
