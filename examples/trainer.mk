# The reference trainer; all but main.c is a library, so that unit tests can link it.
EXTRA_DIST += examples/trainer/README.md
trainer_cppflags = $(AM_CPPFLAGS) $(MPI_CFLAGS) $(OPENBLAS_CFLAGS)
if HAVE_OPENBLAS
trainer_cppflags += -DHAVE_OPENBLAS
endif
if HAVE_MPI
pkglibexec_PROGRAMS = examples/trainer/tacho-trainer
noinst_LTLIBRARIES += examples/trainer/libtrainer.la
endif
examples_trainer_libtrainer_la_CPPFLAGS = $(trainer_cppflags)
examples_trainer_libtrainer_la_CFLAGS = $(AM_CFLAGS) -pthread -O2
examples_trainer_libtrainer_la_SOURCES = \
	examples/trainer/buckets.c examples/trainer/buckets.h \
	examples/trainer/dataset.c examples/trainer/dataset.h examples/trainer/dataset_make.c \
	examples/trainer/dataset_path.h examples/trainer/checkpoint.c examples/trainer/checkpoint.h \
	examples/trainer/exchange.c examples/trainer/exchange.h \
	examples/trainer/images.c examples/trainer/images.h examples/trainer/job.c examples/trainer/job.h \
	examples/trainer/layer.h \
	examples/trainer/layer_conv.c examples/trainer/layer_dense.c \
	examples/trainer/layer_simple.c examples/trainer/loader.c examples/trainer/loader.h \
	examples/trainer/loss.c examples/trainer/loss.h examples/trainer/matrix.c \
	examples/trainer/matrix.h examples/trainer/model.c examples/trainer/model.h \
	examples/trainer/optimizer.c examples/trainer/optimizer.h examples/trainer/options.c \
	examples/trainer/options.h examples/trainer/plant.c examples/trainer/plant.h examples/trainer/preprocess.c examples/trainer/preprocess.h \
	examples/trainer/rng.h examples/trainer/say.c examples/trainer/say.h \
	examples/trainer/setup.c examples/trainer/train.c examples/trainer/train.h \
	examples/trainer/truth.c examples/trainer/truth.h examples/trainer/workload.c \
	examples/trainer/workload.h
examples_trainer_tacho_trainer_CPPFLAGS = $(trainer_cppflags)
examples_trainer_tacho_trainer_CFLAGS = $(AM_CFLAGS) -pthread
examples_trainer_tacho_trainer_SOURCES = examples/trainer/main.c
examples_trainer_tacho_trainer_LDADD = examples/trainer/libtrainer.la $(MPI_LIBS) $(OPENBLAS_LIBS) -lm
