# Tests of recording NCCL.
nccl_tests = tests/nccl_functions.sh tests/nccl_lookup.sh
TESTS += $(nccl_tests)
EXTRA_DIST += $(nccl_tests) tests/nccl_abi_check.c tests/unit/nccl_fake.c tests/unit/nccl_user.c \
	tests/unit/nccl_lookup.c tests/unit/dlsym_chain.c
