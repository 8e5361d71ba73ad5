/* study_command.h - the command of a study: its words, the places in it, and the launcher before it. */
#ifndef ANALYZER_SWEEP_STUDY_COMMAND_H
#define ANALYZER_SWEEP_STUDY_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct study;

/* How many bytes at `text` are a name: letters, digits, _ and -, a letter first. */
size_t study_name_length(const char *text);

/* Whether a name is not free for knobs: ranks, nodes. */
bool study_name_is_own(const char *name);

/* Adds the words of a line, split as a shell does at blanks, '…', "…" and \. 0, or -1 (reported). */
int study_command_read(struct study *study, const char *line);

/* The words as such a line, to be freed; NULL without memory. */
char *study_command_line(const struct study *study);

/* Whether each place in the command is known and each knob has one. 0, or -1 (reported). */
int study_command_check(const struct study *study);

#endif
