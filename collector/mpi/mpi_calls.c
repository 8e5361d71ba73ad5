/*
 * mpi_calls.c - the wrappers of the regular MPI functions: each line of
 * tacho/mpi_calls.def expands into one, by its shape (mpi_shapes.h). What does
 * not fit a shape is a plain function in mpi_wait.c, mpi_life.c or
 * mpi_objects.c; siblings for large counts are those of mpi_large.c.
 */
#define COUNT int
#define DISPL int
#include "mpi/mpi_shapes.h"

#define CALL(name, role, shape, ...) SHAPE_##shape(name, ##__VA_ARGS__)
#define COUNTED			     CALL
#include "tacho/mpi_calls.def"
#undef CALL
