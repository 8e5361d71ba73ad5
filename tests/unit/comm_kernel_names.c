/* comm_kernel_names.c - says of each name on stdin what kernel it is: nccl, other or none. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "model/comm_kernel.h"

int main(void)
{
	static const char *const kinds[] = { [COMM_KERNEL_NONE] = "none",
		[COMM_KERNEL_NCCL] = "nccl",
		[COMM_KERNEL_OTHER] = "other" };
	char name[4096];

	while (fgets(name, sizeof(name), stdin)) {
		name[strcspn(name, "\n")] = '\0';
		printf("%s %s\n", kinds[comm_kernel(name)], name);
	}
	return 0;
}
