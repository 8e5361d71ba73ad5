/*
 * mpi_late.c - loads a module that uses MPI with RTLD_LOCAL, as Python loads
 * mpi4py: libmpi comes after the start and outside the global search order.
 * Compiled with -DMODULE it is that module.
 */
#ifdef MODULE
#include "mpi_expect.h"

int module_main(int argc, char **argv);

int module_main(int argc, char **argv)
{
	int in = 1, sum;

	expect_begin(&argc, &argv, 0);
	MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, W);
	expect("MPI_Allreduce comm 1 sent 4 received 4 root -1");
	result("sum %d", sum);
	return expect_end();
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*run)(int, char **) = module ? (int (*)(int, char **))dlsym(module, "module_main")
					  : NULL;

	if (!run) {
		fprintf(stderr, "mpi_late: %s\n", dlerror());
		return 1;
	}
	return run(argc, argv);
}
#endif
