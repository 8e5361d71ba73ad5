/*
 * dlsym_chain.c - a library that hands on to the next one by RTLD_NEXT, built
 * twice; what comes next depends on who asks. Its local function is only in
 * its own scope.
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

/* RTLD_DEFAULT finds what the caller can see, also when that is loaded with RTLD_LOCAL. */
void *chain_default(void)
{
	return dlsym(RTLD_DEFAULT, LOCAL_TEXT);
}
