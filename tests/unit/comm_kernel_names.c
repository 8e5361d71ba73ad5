/*
 * comm_kernel_names.c [FILE] - prints the kind of kernel of each name on stdin: nccl, other or none. FILE has further
 * names of kernels that communicate.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "model/comm_kernel.h"

int main(int argc, char **argv)
{
	static const char *const kinds[] = { [COMM_KERNEL_NONE] = "none",
		[COMM_KERNEL_NCCL] = "nccl",
		[COMM_KERNEL_OTHER] = "other" };
	char name[4096];

	if (argc > 1 && comm_kernels_read(argv[1]) < 0)
		return 1;
	while (fgets(name, sizeof(name), stdin)) {
		name[strcspn(name, "\n")] = '\0';
		printf("%s %s\n", kinds[comm_kernel(name)], name);
	}
	return 0;
}
