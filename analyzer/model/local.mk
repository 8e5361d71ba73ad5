# What definitions mean: nodes, ranks, devices, classes of regions, states.
EXTRA_DIST += analyzer/model/README.md
noinst_LIBRARIES += analyzer/model/libmodel.a
analyzer_model_libmodel_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_model_libmodel_a_CFLAGS = $(analyzer_cflags)
analyzer_model_libmodel_a_SOURCES = \
	analyzer/model/collective_op.c \
	analyzer/model/collective_op.h \
	analyzer/model/comm_kernel.c \
	analyzer/model/comm_kernel.def \
	analyzer/model/comm_kernel.h \
	analyzer/model/comm_place.c \
	analyzer/model/device.c \
	analyzer/model/device.h \
	analyzer/model/family.c \
	analyzer/model/family.h \
	analyzer/model/model.c \
	analyzer/model/model.h \
	analyzer/model/neighbours.c \
	analyzer/model/neighbours.h \
	analyzer/model/python_file.c \
	analyzer/model/python_file.h \
	analyzer/model/region.c \
	analyzer/model/region.h \
	analyzer/model/region_around.c \
	analyzer/model/scorep.c \
	analyzer/model/scorep.h \
	analyzer/model/states.c \
	analyzer/model/states.h
