/* ptrace_scope.h - which processes the kernel lets a user read. */
#ifndef ANALYZER_PTRACE_SCOPE_H
#define ANALYZER_PTRACE_SCOPE_H

#include <stdio.h>

/* kernel.yama.ptrace_scope; 0: a user may read their own processes, or there is no such limit. */
static inline int ptrace_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "r");
	int scope = 0;

	if (file && fscanf(file, "%d", &scope) != 1)
		scope = 0;
	if (file)
		fclose(file);
	return scope;
}

#endif
