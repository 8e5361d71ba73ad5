#!/bin/sh
# The library exports its wrappers and nothing else.
. "$top_srcdir/tests/collector_common.sh"
echo 1..7

# Names of the tables: COUNTED is two functions.
calls() {
	sed -n -e 's/^CALL(\([A-Za-z0-9_]*\),.*/\1/p' -e 's/^COUNTED(\([A-Za-z0-9_]*\),.*/\1\n\1_c/p' "$@"
}

# Those that count launches.
cuda=
for call in __cudaLaunchKernel cudaLaunchKernel cudaLaunchCooperativeKernel cudaLaunchKernelExC cuLaunchKernel cuLaunchCooperativeKernel cuLaunchKernelEx; do
	cuda="$cuda $call ${call}_ptsz"
done

# Wrappers that record nothing, and the markers' entry points.
others="kill killpg longjmp _longjmp siglongjmp __longjmp_chk chroot chdir fchdir vfork setuid seteuid setreuid setresuid unshare setns mlockall munlockall prctl syscall _Exit _exit exit quick_exit execl execle execlp execv execve execveat execvp execvpe fexecve popen
posix_spawn posix_spawnp tacho_mark_begin tacho_mark_end tacho_attach tacho_attach_stack InitializeInjection InitializeInjectionNvtx2 cuptiActivityDisable cuptiActivityEnable
cuptiActivityGetAttribute cuptiActivityGetNextRecord cuptiActivityGetNumDroppedRecords cuptiActivityPopExternalCorrelationId
cuptiActivityPushExternalCorrelationId cuptiActivitySetAttribute cuptiGetTimestamp cuptiSetThreadIdType
cuptiActivityRegisterCallbacks cuptiActivityRegisterTimestampCallback cuptiEnableAllDomains cuptiEnableCallback cuptiEnableDomain
$cuda cuptiFinalize cuptiGetCallbackState cuptiSubscribe cuptiSubscribe_v2 cuptiUnsubscribe
dlsym _ZN2at14RecordFunction3endEv _ZN2at14RecordFunctionC1ENS_11RecordScopeE ncclProfiler_v1 ncclProfiler_v2 ncclProfiler_v3 ncclProfiler_v4 ncclProfiler_v5 ncclProfiler_v6"

nm -D --defined-only "$lib" | awk '{ print $3 }' | sort -u >"$tmp/exported"
{
	calls "$top_srcdir"/include/tacho/mpi_calls.def \
		"$top_srcdir"/include/tacho/io_calls.def "$top_srcdir"/include/tacho/wait_calls.def \
		"$top_srcdir"/include/tacho/nccl_calls.def
	printf '%s\n' $others
} | sort -u >"$tmp/tables"
# PyTorch's have mangled names: a line each, four constructors of stores, two methods of DDP's, three by which
# an operation ends that nobody waits for; and autograd's.
ntorch=$(calls "$top_srcdir"/include/tacho/torch_calls.def | wc -l)
ok "every function of PyTorch's table is wrapped" same "$(grep -c '^_ZN4c10d' "$tmp/exported")" "$((ntorch + 9))"
ok "every call of the tables is wrapped" same "$(comm -13 "$tmp/exported" "$tmp/tables")" ""
# MPI and mark functions beyond the tables belong to the MPI part.
ok "nothing else is exported" same "$(comm -23 "$tmp/exported" "$tmp/tables" | grep -v '^P\?MPIX\?_\|^_ZN4c10d\|^_ZN5torch8autograd\|^_ZN5torch3jit37_get_operation\|^_ZN6caffe29serialize19PyTorchStreamWriter')" ""
ok "no call stands in the tables twice" same \
	"$(calls "$top_srcdir"/include/tacho/*_calls.def | sort | uniq -d)" ""
ok "nothing but libc is linked" same \
	"$(readelf -d "$lib" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v '^libc\.\|^ld-linux\|^libdl\.\|^libpthread\.')" ""
# Libraries write over these while our thread runs (collector/sys.h).
ok "memory is mapped by system calls of our own" same \
	"$(nm -D --undefined-only "$lib" | awk '{ print $2 }' | grep -E '^(mmap|mmap64|munmap|mremap|madvise|s?brk)(@|$)')" ""
# What a program writes past an end is not to lead into it.
ok "its addresses are bound as it is loaded, and read-only then" same \
	"$(readelf -dW "$lib" | grep -c BIND_NOW) $(readelf -lW "$lib" | grep -c GNU_RELRO) $(
		readelf -dW "$top_builddir/analyzer/tacho" 2>/dev/null | grep -c 'FLAGS.*NOW')" "1 1 2"
