/* command.h - a command as a line of text. */
#ifndef ANALYZER_COMMAND_H
#define ANALYZER_COMMAND_H

/*
 * The command line in one text, to be freed; NULL without memory. Arguments are quoted where a shell
 * needs it; secrets are masked, control characters written out.
 */
char *command_text(char *const *argv);

#endif
