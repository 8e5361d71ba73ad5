/*
 * options.h - the description of a command: its name, its help, its arguments, and a table of its
 * options, by which the command line is read and the help is printed. These tables are the only
 * list of options, so all other lists can be made from them.
 */
#ifndef ANALYZER_OPTIONS_H
#define ANALYZER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* EXIT_GATE: a gate of tacho compare failed. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_GATE = 3 };

/* An option, and where its value goes: exactly one of the pointers is set. */
struct option {
	const char *name;     /* without the dashes */
	char letter;	      /* of its short form, 0: it has none */
	const char *argument; /* what its value is called (FILE, N, table|csv|json); NULL: none */
	const char *help;     /* its effect: no capital, no full stop */
	bool *flag;	      /* becomes true */
	unsigned *set;	      /* becomes `value` */
	unsigned value;
	const char **text;
	bool writes; /* the text is a file that the command writes: checked before anything else */
	unsigned *choice; /* which of the words of `argument`, the first is 0 */
	int *count;	  /* 1 or more */
	int64_t *number;  /* 0 or more */
	int64_t *time;	  /* ns, from 1.5s, 20ms, 3us, 7ns, 10m or 2h */
	/* Anything else. 0, or an exit status (reported). */
	int (*take)(const struct option *option, const char *text);
	const char *
		pattern; /* extended regular expression that a value matches unless it is empty; NULL: any */
	const char
		*wanted; /* the kind of value, for the sentence about a wrong one; NULL: as above */
	const char *variable; /* of the environment, that means the same to libtacho; NULL: none */
};

#define OPTION_FLOPS(option_name, option_help, value)                                              \
	{                                                                                          \
		option_name, 0, "N", option_help,                                                  \
			.text = &(value),                                                          \
			.pattern = "^[0-9]+([.][0-9]*)?(e[+]?[0-9]{1,2})?[KMGTPE]?$",              \
			.wanted = "a number like 312e12 or 312T (K, M, G, T, P, E)"                \
	}

/* What MFU is computed from, as options of a command: into members of `at`. */
#define OPTIONS_FLOPS(at)                                                                          \
	OPTION_FLOPS("flops-per-sample",                                                           \
		"floating-point operations to train with one sample, forward and backward: 6.2G",  \
		(at).flops_per_sample),                                                            \
		OPTION_FLOPS("flops-per-step",                                                     \
			"the same for one step of all ranks, if the program reports no samples",   \
			(at).flops_per_step),                                                      \
	{                                                                                          \
		"peak-flops", 0, "N|TYPE",                                                         \
			"peak rate of one GPU, or of one rank without GPUs, for MFU: "             \
			"989T per second; bf16, fp16, fp8, tf32 or fp32 takes the "                \
			"peak from the GPU's data sheet",                                          \
			.text = &((at).peak_flops),                                                \
			.pattern = "^([0-9]+([.][0-9]*)?(e[+]?[0-9]{1,2})?[KMGTPE]?|"              \
				   "bf16|fp16|fp8|tf32|fp32)$",                                    \
			.wanted = "a number like 312e12 or 312T (K, M, G, T, P, E), or "           \
				  "bf16, fp16, fp8, tf32, fp32"                                    \
	}

/* What the training is to reach, as an option of a command: into `value`. */
#define TARGET_PATTERN "^[^<>=]+(=|<|>|<=|>=)-?[0-9]*[.]?[0-9]+(e[+-]?[0-9]{1,3})?$"
#define TARGET_WANTED  "a name and a value like loss=0.5 or 'accuracy>0.9'"
#define OPTION_TARGET(value)                                                                       \
	{                                                                                          \
		"target", 0, "NAME=VALUE",                                                         \
			"value of tacho_metric() that the training is to reach: loss=0.5, "        \
			"accuracy=0.9; error rates and losses fall, all else rises: NAME<VALUE "   \
			"or NAME>VALUE says otherwise",                                            \
			.text = &(value), .pattern = TARGET_PATTERN, .wanted = TARGET_WANTED       \
	}

struct command {
	const char *name;    /* NULL: tacho itself */
	const char *group;   /* heading above it in the list; NULL: the heading of the one before */
	const char *summary; /* one line */
	const char *arguments; /* text after the options */
	int least, most;       /* how many these may be; most 0: any number */
	bool wraps;	       /* what begins with the first argument is another command line */
	const char *about;     /* lines before the options, NULL: none */
	const char *notes;     /* lines after them, NULL: none */
	const struct option *options;	 /* the last one has no name; NULL: none but --help */
	const struct command **commands; /* of tacho itself: NULL-terminated; else NULL */
	/* Gets the arguments alone; argv[argc] is NULL. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

/*
 * Reads the options of a command line (argv[0] is the command's name), and moves the arguments to
 * the front of *argv. False when the command is not to run, since the help was printed or the usage
 * is wrong (reported): *status is the exit status.
 */
bool options_read(const struct command *command, int *argc, char **argv, int *status);

/* Whether `text` is a value of the option; `name` with its blank or = is the text before it. */
bool option_value_check(const struct command *command, const struct option *option,
	const char *name, const char *text);

/* Prints the help of a command. */
void options_help(const struct command *command);

/* Reports a wrong option or argument in one sentence; returns EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
