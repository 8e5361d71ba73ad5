/* main.c - tacho-trainer: a synchronous data-parallel trainer to be inspected by tacho. */
#include "config.h"

#include <fcntl.h>

#include "options.h"
#include "say.h"
#include "tacho.h"
#include "train.h"
#include "truth.h"

enum { EXIT_OK, EXIT_FAILURE_SAID, EXIT_USAGE };

static int weights_dump(const struct trainer *t)
{
	const char *path = t->options->dump_weights;
	size_t nbytes = t->model.nweights * sizeof(float);
	int fd, error;

	if (!path || t->job.rank)
		return 0;
	fd = truth_open(FILE_WEIGHTS, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		return fail("cannot write %s: %m (--dump-weights)", path);
	error = truth_write(FILE_WEIGHTS, fd, t->model.weights, nbytes) < 0;
	if (truth_close(FILE_WEIGHTS, fd) < 0 || error)
		return fail("cannot write %s: %m (--dump-weights)", path);
	return 0;
}

static int make_data(const struct options *options)
{
	struct preprocess preprocess = preprocess_from(options);
	struct dataset_spec spec;

	if (dataset_exists(options->make_data)) {
		fail("%s is there already: delete it, or name another folder", options->make_data);
		return EXIT_FAILURE_SAID;
	}
	preprocess_spec(&preprocess, options, &spec);
	return dataset_make(&spec, options->make_data, preprocess_draw, &preprocess) < 0
		? EXIT_FAILURE_SAID
		: EXIT_OK;
}

static int train(const struct options *options, const struct job *job)
{
	struct trainer trainer;
	int status = EXIT_FAILURE_SAID, error;

	tacho_phase_begin("setup");
	error = trainer_open(&trainer, options, job);
	tacho_phase_end();
	if (error < 0)
		goto out;
	/* From here no rank may continue alone: a failure ends the job. */
	if (trainer_run(&trainer) < 0 || weights_dump(&trainer) < 0)
		job_abort(EXIT_FAILURE_SAID);
	status = EXIT_OK;
out:
	if (trainer_close(&trainer) < 0)
		status = EXIT_FAILURE_SAID;
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct job job;
	int status;

	switch (options_parse(&options, argc, argv)) {
	case OPTIONS_HELP: return EXIT_OK;
	case OPTIONS_USAGE: return EXIT_USAGE;
	default: break;
	}
	say_quiet = options.quiet;
	if (options.make_data)
		return make_data(&options);
	job_start(&job, &argc, &argv);
	status = train(&options, &job);
	truth_mpi(CALL_Finalize, 0);
	if (options.truth && truth_save(options.truth, job.rank) < 0)
		status = EXIT_FAILURE_SAID;
	job_end();
	return status;
}
