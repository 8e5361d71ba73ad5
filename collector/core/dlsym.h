/* dlsym.h - the loader's own dlsym, past the wrapper in dlsym.c. */
#ifndef COLLECTOR_DLSYM_H
#define COLLECTOR_DLSYM_H

#include "core/span.h"

/*
 * dlsym without our wrapper. RTLD_NEXT means behind libtacho: the loader goes
 * by the return address, so do not let it be a tail call of an exported function.
 */
void *dlsym_real(void *handle, const char *name) HIDDEN;

/* Whether a symbol is one of this library. */
bool dlsym_is_ours(void *symbol) HIDDEN;

#endif
