/* merge_notes.c - what people noted while the run is in progress (`tacho control RUN mark`), see write_props.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rundir.h"
#include "base/text.h"
#include "merge/write_props.h"

/* "12.345 s: text" of a line "TIME mark TEXT"; other lines are none. */
static void note_print(FILE *out, const struct merge *m, const char *line)
{
	static const char word[] = " mark ";
	char *end, *clean;
	long long at = strtoll(line, &end, 10);

	if (end == line || strncmp(end, word, strlen(word)) != 0)
		return;
	clean = text_clean(end + strlen(word), strcspn(end + strlen(word), "\n"));
	if (clean)
		fprintf(out, "%.3f s: %s\n", (double)(at - m->start_ns) / 1e9, clean);
	free(clean);
}

char *notes_text(const struct merge *m)
{
	char *path = path_join(m->run, RUNDIR_CONTROL), *line = NULL, *text = NULL;
	FILE *in = path ? run_file_read(path) : NULL, *out;
	size_t size = 0, ntext;

	out = in ? open_memstream(&text, &ntext) : NULL;

	while (out && getline(&line, &size, in) > 0)
		note_print(out, m, line);
	if (out)
		fclose(out);
	if (in)
		fclose(in);
	free(line);
	free(path);
	return text;
}
