# What a node can do before a job.
EXTRA_DIST += analyzer/doctor/README.md
noinst_LIBRARIES += analyzer/doctor/libdoctor.a
analyzer_doctor_libdoctor_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_doctor_libdoctor_a_CFLAGS = $(analyzer_cflags)
analyzer_doctor_libdoctor_a_SOURCES = \
	analyzer/doctor/doctor.c \
	analyzer/doctor/doctor.h \
	analyzer/doctor/doctor_collectives.c \
	analyzer/doctor/doctor_copies.c \
	analyzer/doctor/doctor_cuda.c \
	analyzer/doctor/doctor_cuda.h \
	analyzer/doctor/doctor_figures.def \
	analyzer/doctor/doctor_expected.c \
	analyzer/doctor/doctor_expected.h \
	analyzer/doctor/doctor_gpu_products.c \
	analyzer/doctor/doctor_history.c \
	analyzer/doctor/doctor_judge.c \
	analyzer/doctor/doctor_lacked.c \
	analyzer/doctor/doctor_memory.c \
	analyzer/doctor/doctor_nccl.c \
	analyzer/doctor/doctor_near.c \
	analyzer/doctor/doctor_network.c \
	analyzer/doctor/doctor_print.c \
	analyzer/doctor/doctor_settings.c \
	analyzer/doctor/doctor_settings.def \
	analyzer/doctor/doctor_trouble.c \
	analyzer/doctor/doctor_storage.c
