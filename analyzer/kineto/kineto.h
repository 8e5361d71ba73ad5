/* kineto.h - traces of torch.profiler (Kineto) become an OTF2 archive, which is analysed as any other. */
#ifndef ANALYZER_KINETO_H
#define ANALYZER_KINETO_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file of that name is one: it ends in .json or .json.gz. */
bool kineto_is_trace(const char *path);

/*
 * Reads the n files, one a rank, and writes traces.otf2 into the folder, which exists. 0, or -1
 * (reported).
 */
int kineto_convert(char *const *paths, size_t n, const char *folder);

#endif
