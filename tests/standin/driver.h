/* Bodies of the driver's calls; driver_calls.c puts the callbacks around them. */
#ifndef STANDIN_DRIVER_H
#define STANDIN_DRIVER_H

#include "standin.h"

#define D(name, params, args)  CUresult do_##name params;
#define DS(name, params, args) D(name, params, args)
#include "driver_calls.def"
#undef D
#undef DS

/* Calls without parameters have no line in the table: no struct goes with them. */
CUresult do_cuCtxSynchronize(void);

#endif
