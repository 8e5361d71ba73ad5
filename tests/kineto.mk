# Traces of torch.profiler.
TESTS += tests/kineto.sh
EXTRA_DIST += tests/kineto.sh tests/kineto_make.py tests/kineto_check.py tests/kineto_torch.py tests/data/kineto/README.md \
	tests/data/kineto/hta-mi250.json.gz tests/data/kineto/torch-1.13-cpu.json.gz
