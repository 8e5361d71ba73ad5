/* cmd_doctor.c - tacho doctor: what nodes can do before a job runs on them, and which of them is worse. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/par.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "doctor/doctor.h"
#include "doctor/doctor_expected.h"

static struct {
	struct doctor doctor;
	unsigned format;
	bool gate;
	const char *history, *expect;
	struct doctor_machines machines;
} wanted;

static const struct option option_table[] = { { "format", 0, "table|json", "output format (table)",
						      .choice = &wanted.format },
	{ "gate", 0, NULL,
		"exit with status 3 when a problem is found, 1 when the nodes lacked cores",
		.flag = &wanted.gate },
	{ "history", 0, "FILE",
		"add the figures to FILE and compare with the usual ones of the node",
		.text = &wanted.history, .writes = true },
	{ "expect", 0, "FILE",
		"compare with what FILE says that machines of a kind should reach, and name what does not",
		.text = &wanted.expect },
	{ "brief", 0, NULL, "measure for a tenth of the time, less precisely",
		.flag = &wanted.doctor.wanted.brief },
	{ "no-nccl", 0, NULL, "skip NCCL operations between GPUs",
		.flag = &wanted.doctor.wanted.no_nccl },
	{ 0 } };

/* Before anything is measured, so that a misspelt folder is no trouble of a node. */
static int folders_take(int argc, char **argv)
{
	struct doctor_wanted *doctor = &wanted.doctor.wanted;

	for (int i = 0; i < argc; i++) {
		if (access(argv[i], X_OK) < 0 && errno == EACCES) {
			log_error("cannot read %s: %s", argv[i], strerror(errno));
			return -1;
		}
		if (!path_is_folder(argv[i])) {
			log_error("%s is not a folder here: name folders to measure storage in",
				argv[i]);
			return -1;
		}
		doctor->folders[doctor->nfolders++] = argv[i];
	}
	return 0;
}

static int expected_take(void)
{
	if (!wanted.expect)
		return 0;
	wanted.doctor.machines = &wanted.machines;
	return doctor_expected_read(&wanted.machines, wanted.expect);
}

static int doctor_run(int argc, char **argv)
{
	struct doctor *doctor = &wanted.doctor;
	int status = EXIT_FAILED;

	if (par_start() < 0)
		return EXIT_FAILED;
	if (!par_any_failed(folders_take(argc, argv) < 0 || expected_take() < 0) &&
		doctor_measure(doctor) == 0) {
		status = EXIT_OK;
		if (wanted.history && par_rank() == 0 && doctor_history(doctor, wanted.history) < 0)
			status = EXIT_FAILED;
		doctor_judge(doctor);
		if (par_rank() == 0)
			(wanted.format ? doctor_json : doctor_print)(doctor);
		if (wanted.gate && doctor->open.n)
			status = EXIT_FAILED;
		if (wanted.gate && doctor->troubles.n)
			status = EXIT_GATE;
	}
	doctor_free(doctor);
	doctor_expected_free(&wanted.machines);
	par_end();
	return status;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "Measure nodes before a job (memory, processors, storage, network) and name "
		   "outliers",
	.arguments = "[FOLDER...]",
	.least = 0,
	.most = DOCTOR_FOLDERS,
	.about = "Without a launcher it measures this node; with mpirun -N 1 tacho doctor (srun -N "
		 "4\n"
		 "--ntasks-per-node 1) all nodes and the network between them. It measures storage "
		 "in FOLDERs.\n",
	.options = option_table,
	.run = doctor_run,
};
