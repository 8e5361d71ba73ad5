include_HEADERS = include/tacho.h
dist_pkgdata_DATA = include/tacho.py
noinst_HEADERS += include/tacho/spool.h include/tacho/slot.h include/tacho/brief.h include/tacho/fold.h include/tacho/nvtx_names.h include/tacho/totals.h include/tacho/part.h include/tacho/trace.h include/tacho/regions.h include/tacho/host.h include/tacho/runs.h include/tacho/launcher.h include/tacho/loader.h include/tacho/secrets.h include/tacho/secrets.def \
	include/tacho/attach.h include/tacho/buckets.h include/tacho/starters.def include/tacho/mpi_calls.def include/tacho/io_calls.def include/tacho/wait_calls.def \
	include/tacho/cuda_calls.def include/tacho/nccl_calls.def include/tacho/torch_calls.def
