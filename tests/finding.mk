# Tests of the advisor: rules on small databases, and on trainings with planted trouble.
check_PROGRAMS += tests/unit/findings
tests_unit_findings_SOURCES = tests/unit/findings.c tests/unit/evidence.c tests/unit/evidence.h
tests_unit_findings_CPPFLAGS = $(analyzer_cppflags)
tests_unit_findings_LDADD = $(analyzer_link)
check_PROGRAMS += tests/unit/finding_words
tests_unit_finding_words_SOURCES = tests/unit/finding_words.c
tests_unit_finding_words_CPPFLAGS = $(analyzer_cppflags)
tests_unit_finding_words_LDADD = $(analyzer_link)
TESTS += tests/unit/finding_words
# On stand-ins: GPUs that work after a phase.
if HAVE_STANDIN
check_PROGRAMS += tests/e2e/gpu_behind
EXTRA_tests_e2e_gpu_behind_DEPENDENCIES = $(standin_libraries)
endif
tests_e2e_gpu_behind_SOURCES = tests/e2e/gpu_behind.c
tests_e2e_gpu_behind_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(CUDA_DIR)/include
tests_e2e_gpu_behind_LDFLAGS = $(AM_LDFLAGS) -no-install -Wl,-rpath-link,tests/standin/cuda13
tests_e2e_gpu_behind_LDADD = -Ltests/standin/cuda13 -l:libcublas.so.13 -lcudart -l:libcuda.so.1
check_PROGRAMS += tests/unit/ranks_work
tests_unit_ranks_work_SOURCES = tests/unit/ranks_work.c tests/unit/ranks_make.h
tests_unit_ranks_work_CPPFLAGS = $(analyzer_cppflags)
tests_unit_ranks_work_LDADD = $(analyzer_link)
TESTS += tests/unit/ranks_work tests/ranks_steps.sh
EXTRA_DIST += tests/ranks_steps.sh
TESTS += tests/findings_rules.sh tests/findings_planted.sh tests/findings_nodes.sh tests/findings_gpu.sh tests/findings_numa.sh
EXTRA_DIST += tests/findings_rules.sh tests/findings_planted.sh tests/findings_nodes.sh tests/findings_gpu.sh tests/findings_numa.sh tests/findings
