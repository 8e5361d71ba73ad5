/*
 * mpi_calls.c - the wrappers of the regular MPI functions: each line of tacho/mpi_calls.def expands
 * into one, by its shape (mpi_shapes.h). Irregular functions are in mpi_wait.c, mpi_life.c and
 * mpi_objects.c, large-count siblings in mpi_large.c.
 */
#define COUNT int
#define DISPL int
#include "mpi/mpi_shapes.h"

#define CALL(name, role, shape, ...) SHAPE_##shape(name, ##__VA_ARGS__)
#define COUNTED			     CALL
#include "tacho/mpi_calls.def"
#undef CALL
