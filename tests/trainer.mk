# Tests of trainer.
trainer_tests = tests/gpu_known.sh tests/gpu_rehearsal.sh tests/quickstart_gpus.sh tests/trainer_checkpoint.sh tests/trainer_cuda.sh \
	tests/trainer_cuda_truth.sh tests/trainer_errors.sh tests/trainer_knobs.sh \
	tests/trainer_learns.sh tests/trainer_ranks.sh tests/trainer_truth.sh \
	tests/trainer_workloads.sh
TESTS += $(trainer_tests)
EXTRA_DIST += tests/gpu/carry tests/gpu/check.py tests/gpu/found.py tests/gpu/frameworks.py tests/gpu/known.cu tests/gpu/nvml_lock.c tests/gpu/odd.cu tests/gpu/overhead.py \
	tests/gpu/raw.c tests/gpu/README.md tests/gpu/RESULTS.md tests/gpu/run tests/gpu/torch_train.py
EXTRA_DIST += $(trainer_tests) tests/trainer_common.sh tests/trainer_cuda_common.sh

if HAVE_MPI
if HAVE_CMOCKA
check_PROGRAMS += tests/trainer_layers
TESTS += tests/trainer_layers
endif
endif
tests_trainer_layers_SOURCES = tests/trainer_layers.c
tests_trainer_layers_CPPFLAGS = $(trainer_cppflags) $(CMOCKA_CFLAGS)
tests_trainer_layers_LDADD = examples/trainer/libtrainer.la $(MPI_LIBS) $(OPENBLAS_LIBS) $(CMOCKA_LIBS) -lm
