# The reference trainer; all but main.c is a library, so that unit tests can link it.
EXTRA_DIST += examples/trainer/README.md
trainer_cppflags = $(AM_CPPFLAGS) $(MPI_CFLAGS) $(OPENBLAS_CFLAGS)
if HAVE_OPENBLAS
trainer_cppflags += -DHAVE_OPENBLAS
endif
if HAVE_CUDA_TRAINER
trainer_cppflags += -DHAVE_CUDA_TRAINER
endif
if HAVE_MPI
pkglibexec_PROGRAMS = examples/trainer/tacho-trainer
noinst_LTLIBRARIES += examples/trainer/libtrainer.la
endif
examples_trainer_libtrainer_la_CPPFLAGS = $(trainer_cppflags)
examples_trainer_libtrainer_la_CFLAGS = $(AM_CFLAGS) -pthread -O2
examples_trainer_libtrainer_la_SOURCES = \
	examples/trainer/buckets.c examples/trainer/buckets.h \
	examples/trainer/cuda.h examples/trainer/cuda_load.c \
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
examples_trainer_tacho_trainer_LDADD = examples/trainer/libtrainer.la $(MPI_LIBS) $(OPENBLAS_LIBS) -lm -ldl

# Training on GPUs: a module that the trainer loads for --device cuda. Its C files are compiled as
# all others; nvcc makes the kernels, for Hopper and (as PTX) for everything from Ampere on.
trainer_cuda_sources = \
	examples/trainer/cuda_calls.c examples/trainer/cuda_calls.h \
	examples/trainer/cuda_exchange.c examples/trainer/cuda_exchange.h \
	examples/trainer/cuda_gpu.c examples/trainer/cuda_gpu.h examples/trainer/cuda_layers.c \
	examples/trainer/cuda_kernels.h examples/trainer/cuda_train.c
trainer_cuda_kernels = examples/trainer/cuda_kernels.cu examples/trainer/cuda_kernels.def
EXTRA_DIST += $(trainer_cuda_kernels)
NVCCFLAGS = -O2 -std=c++17 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=compute_80
if HAVE_CUDA_TRAINER
trainermoddir = $(pkglibexecdir)
trainermod_LTLIBRARIES = examples/trainer/trainer-cuda.la
CLEANFILES += examples/trainer/cuda_kernels.o
endif
examples_trainer_trainer_cuda_la_SOURCES = $(trainer_cuda_sources) \
	examples/trainer/buckets.c examples/trainer/buckets.h examples/trainer/say.c examples/trainer/say.h
examples_trainer_trainer_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(CUDA_DIR)/include
examples_trainer_trainer_cuda_la_CFLAGS = $(AM_CFLAGS) -O2 -fvisibility=hidden
# libtool wants objects of its own making: this one goes straight to the linker.
examples_trainer_trainer_cuda_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-Wl,examples/trainer/cuda_kernels.o,-lstdc++ -L$(CUDA_DIR)/lib64 -Wl,-rpath,$(CUDA_DIR)/lib64
examples_trainer_trainer_cuda_la_LIBADD = -lcublas -lcudart
examples_trainer_trainer_cuda_la_DEPENDENCIES = examples/trainer/cuda_kernels.o
if HAVE_NCCL
examples_trainer_trainer_cuda_la_CPPFLAGS += -DHAVE_NCCL -I$(NCCL_DIR)/include
examples_trainer_trainer_cuda_la_LDFLAGS += -L$(NCCL_DIR)/lib -Wl,-rpath,$(NCCL_DIR)/lib
examples_trainer_trainer_cuda_la_LIBADD += -l:libnccl.so.2
endif
examples/trainer/cuda_kernels.o: $(trainer_cuda_kernels) examples/trainer/cuda_kernels.h \
		examples/trainer/layer.h examples/trainer/loss.h
	@$(MKDIR_P) examples/trainer
	$(AM_V_GEN)$(NVCC) $(NVCCFLAGS) -I$(CUDA_DIR)/include -Xcompiler -fPIC,-Wall -c -o $@ $(top_srcdir)/examples/trainer/cuda_kernels.cu
