/* cmd_merge.c - tacho merge: options and the call of merge_run(). */
#include "config.h"

#include <getopt.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "merge/merge.h"
#include "base/par.h"

static const char options_help[] =
	"  -f, --force          replace an archive that is there\n"
	"  -o, --output DIR     write the archive to DIR instead of RUN/trace\n"
	"  --spool DIR          read the spools of DIR instead of RUN/spool\n"
	"  --delete-spools      remove the spools once the archive is complete\n"
	"  -j, --jobs N         threads (default: one per core)\n"
	"\n"
	"Under mpirun the processes share the work.\n";

static const struct option options_long[] = { { "force", no_argument, NULL, 'f' },
	{ "output", required_argument, NULL, 'o' }, { "spool", required_argument, NULL, 's' },
	{ "delete-spools", no_argument, NULL, 'd' }, { "jobs", required_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' }, { 0 } };

int cmd_merge(int argc, char **argv)
{
	struct merge_options options = { .print = true };
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+fo:j:h", options_long, NULL)) >= 0) {
		switch (option) {
		case 'f': options.force = true; break;
		case 'o': options.output = optarg; break;
		case 's': options.spool = optarg; break;
		case 'd': options.delete_spools = true; break;
		case 'j':
			options.jobs = atoi(optarg);
			if (options.jobs <= 0)
				return cmd_usage("merge", "-j wants a number of threads, not %s",
					optarg);
			break;
		case 'h': return cmd_help("merge", options_help);
		default: return cmd_usage("merge", "wrong option %s", argv[optind - 1]);
		}
	}
	if (argc - optind != 1)
		return cmd_usage("merge", "one RUN is wanted");
	if (par_start() < 0)
		return EXIT_FAILED;
	ret = merge_run(argv[optind], &options);
	par_end();
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}
