/* cmd_analyze.c - tacho analyze: the command line of analyze_run(). */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "cli/cmd.h"
#include "base/par.h"

static const char help[] =
	"RUN is a folder of tacho record; ARCHIVE.otf2 the anchor file of any OTF2\n"
	"archive (tacho, Score-P, TAU...). The database is RUN/tacho.db, or\n"
	"ARCHIVE.db beside a bare archive.\n\n"
	"  --db FILE             write to FILE; runs of other archives in it stay\n"
	"  --label TEXT          name shown to people\n"
	"  --launch-latency NS   gaps of a device up to this are launch latency (10000)\n"
	"  --summary             profiles of the run and its phases: no replay, no steps; faster\n"
	"  -j, --jobs N          processes that read (default: one per core)\n\n"
	"Under mpirun the processes share the work.\n";

static int64_t parse_ns(const char *text)
{
	char *end;
	long long ns;

	errno = 0;
	ns = strtoll(text, &end, 10);
	return errno || *end || end == text || ns < 0 ? -1 : ns;
}

int cmd_analyze(int argc, char **argv)
{
	static const struct option options[] = { { "db", required_argument, NULL, 'd' },
		{ "label", required_argument, NULL, 'l' },
		{ "launch-latency", required_argument, NULL, 'n' },
		{ "summary", no_argument, NULL, 's' }, { "jobs", required_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' }, { 0 } };
	struct analyze_options wanted = { 0 };
	int option, ret;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "hj:", options, NULL)) != -1) {
		switch (option) {
		case 'd': wanted.database = optarg; break;
		case 'l': wanted.label = optarg; break;
		case 's': wanted.summary = true; break;
		case 'h': return cmd_help("analyze", help);
		case 'n':
			wanted.launch_latency_ns = parse_ns(optarg);
			if (wanted.launch_latency_ns < 0)
				return cmd_usage("analyze",
					"--launch-latency wants nanoseconds, not %s", optarg);
			break;
		case 'j':
			wanted.jobs = atoi(optarg);
			if (wanted.jobs <= 0)
				return cmd_usage("analyze",
					"-j wants a number of processes, not %s", optarg);
			break;
		default: return cmd_usage("analyze", "unknown option %s", argv[optind - 1]);
		}
	}
	if (argc - optind != 1)
		return cmd_usage("analyze", "one RUN or ARCHIVE.otf2 is wanted");
	if (par_start() < 0)
		return EXIT_FAILED;
	ret = analyze_run(argv[optind], &wanted);
	par_end();
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}
