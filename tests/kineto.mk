# Traces of torch.profiler and exports of Nsight Systems.
TESTS += tests/kineto.sh tests/nsys.sh
EXTRA_DIST += tests/nsys.sh tests/nsys_make.py
EXTRA_DIST += tests/kineto.sh tests/kineto_make.py tests/kineto_check.py tests/kineto_torch.py tests/data/kineto/README.md \
	tests/data/kineto/hta-mi250.json.gz tests/data/kineto/torch-1.13-cpu.json.gz
