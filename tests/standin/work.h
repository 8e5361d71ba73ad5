/* Between core_kernel.c and driver_calls.c: the body of standin_enqueue(). */
#ifndef STANDIN_WORK_H
#define STANDIN_WORK_H

#include "standin.h"
#include "stream.h"

CUresult standin_work_submit(CUstream stream, const struct standin_work *work);

#endif
