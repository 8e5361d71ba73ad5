# Traces of torch.profiler, exports of Nsight Systems, dumps of the Flight Recorder.
EXTRA_DIST += tests/golden/traces_gloo.expected tests/golden/traces_mi250.expected tests/golden/traces_nsys.expected
TESTS += tests/kineto.sh tests/kineto_damage.sh tests/nsys.sh tests/flight.sh
EXTRA_DIST += tests/flight.sh tests/flight_make.py
EXTRA_DIST += tests/nsys.sh tests/nsys_make.py
EXTRA_DIST += tests/kineto.sh tests/kineto_damage.sh tests/kineto_make.py tests/kineto_check.py tests/kineto_torch.py tests/data/kineto/README.md \
	tests/data/kineto/hta-mi250.json.gz tests/data/kineto/torch-1.13-cpu.json.gz tests/data/kineto/torch-2.6-gloo-rank0.json.gz \
	tests/data/kineto/torch-2.6-gloo-rank1.json.gz
