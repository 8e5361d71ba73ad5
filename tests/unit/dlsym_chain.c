/*
 * dlsym_chain.c - a library that hands on to the next one by RTLD_NEXT, built twice; the caller
 * decides which one is next. Its local function is only in its own scope.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

int chain_depth(void);
int LOCAL_NAME(void);
void *chain_default(void);

int chain_depth(void)
{
	int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "chain_depth");

	return 1 + (next ? next() : 0);
}

int LOCAL_NAME(void)
{
	return 7;
}

/* RTLD_DEFAULT finds the symbols that the caller sees, also when it is loaded with RTLD_LOCAL. */
void *chain_default(void)
{
	return dlsym(RTLD_DEFAULT, LOCAL_TEXT);
}
