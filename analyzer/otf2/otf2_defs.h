/* otf2_defs.h - between otf2_in.c and otf2_defs.c: reading the definitions of an open archive. */
#ifndef ANALYZER_OTF2_DEFS_H
#define ANALYZER_OTF2_DEFS_H

#include "otf2/otf2_in.h"

/* Reads all global definitions into `archive`. 0, or -1 (reported). */
int definitions_read(struct archive *archive);
void definitions_free(struct archive *archive);

#endif
