# MPI.
EXTRA_DIST += collector/mpi/README.md
collector_libtacho_la_SOURCES += \
	collector/mpi/mpi_abi.c \
	collector/mpi/mpi_abi.h \
	collector/mpi/mpi_call.h \
	collector/mpi/mpi_calls.c \
	collector/mpi/mpi_coll.c \
	collector/mpi/mpi_coll.h \
	collector/mpi/mpi_comm.c \
	collector/mpi/mpi_comm.h \
	collector/mpi/mpi_fortran.c \
	collector/mpi/mpi_large.c \
	collector/mpi/mpi_life.c \
	collector/mpi/mpi_map.c \
	collector/mpi/mpi_map.h \
	collector/mpi/mpi_epoch.c \
	collector/mpi/mpi_neighbours.c \
	collector/mpi/mpi_objects.c \
	collector/mpi/mpi_objects.h \
	collector/mpi/mpi_request.c \
	collector/mpi/mpi_request.h \
	collector/mpi/mpi_shapes.h \
	collector/mpi/mpi_wait.c
