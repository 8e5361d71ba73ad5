collector_libtacho_la_SOURCES += collector/mpi_abi.c collector/mpi_abi.h collector/mpi_call.h \
	collector/mpi_calls.c collector/mpi_coll.c collector/mpi_coll.h collector/mpi_comm.c \
	collector/mpi_comm.h collector/mpi_fortran.c collector/mpi_large.c collector/mpi_life.c \
	collector/mpi_map.c collector/mpi_map.h \
	collector/mpi_objects.c collector/mpi_objects.h collector/mpi_request.c \
	collector/mpi_request.h collector/mpi_shapes.h collector/mpi_wait.c
