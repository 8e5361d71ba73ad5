/*
 * mpi_large.c - the wrappers of MPI 4's functions for large counts, MPI_Send_c
 * and so on: the shapes of their siblings in mpi_calls.c with counts of 64 bits.
 */
#include <stdint.h>

#define COUNT int64_t /* MPI_Count and MPI_Aint: tests/mpi_abi_check.c */
#define DISPL int64_t
#include "mpi/mpi_shapes.h"

#define CALL(...)
#define COUNTED(name, role, shape, ...) SHAPE_##shape(name##_c, ##__VA_ARGS__)
#include "tacho/mpi_calls.def"
#undef CALL
