/*
 * nccl_within.c - a program that has NCCL in itself, as a statically linked one that exports its
 * symbols, and finds it by dlsym. Linked with nccl_fake.c.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	void *self = dlopen(NULL, RTLD_LAZY);
	int (*everywhere)(int *) = (int (*)(int *))dlsym(RTLD_DEFAULT, "ncclGetVersion");
	int (*here)(int *) = (int (*)(int *))dlsym(self, "ncclGetVersion");
	int version[2] = { 0 };

	if (everywhere)
		everywhere(&version[0]);
	if (here)
		here(&version[1]);
	printf("versions %d and %d\n", version[0], version[1]);
	printf("one that it lacks: %s\n",
		dlsym(RTLD_DEFAULT, "ncclCommSplit") ? "found" : "not found");
	return 0;
}
