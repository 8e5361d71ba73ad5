#!/bin/sh
# Kernels that communicate are told by their names: all of the installed libnccl, and those of other libraries as
# their sources have them; kernels with similar names are not.
. "$top_srcdir/tests/collector_common.sh"
names=$top_builddir/tests/unit/comm_kernel_names
echo 1..7

library=$(for dir in ${NCCL_DIR:+"$NCCL_DIR/lib" "$NCCL_DIR/lib64"} "${CUDA_HOME:-/usr/local/cuda}/lib" \
	"${CUDA_HOME:-/usr/local/cuda}/lib64" /usr/lib/x86_64-linux-gnu /usr/lib64; do
	test -r "$dir/libnccl.so.2" && echo "$dir/libnccl.so.2" && break
done)
# A launch goes through a function of the host that is named after the kernel.
[ -z "$library" ] || nm "$library" 2>/dev/null | sed -n 's/.* [tT] _Z.*__device_stub__\(_\{0,1\}\)Z/_Z/p' | sort -u >"$tmp/kernels"
if [ -s "$tmp/kernels" ]; then
	# of a template it is named by the types of its arguments as well, as the kernel is
	"$names" <"$tmp/kernels" >"$tmp/told"
	ok "all kernels of libnccl are NCCL's" sh -c 'test "$(wc -l <"$1")" -gt 50 && ! grep -v "^nccl " "$1"' - "$tmp/told"
	c++filt <"$tmp/kernels" 2>/dev/null | "$names" >"$tmp/told"
	ok "… with readable names, too" sh -c 'test "$(wc -l <"$1")" -gt 50 && ! grep -v "^nccl " "$1"' - "$tmp/told"
else
	skip "all kernels of libnccl are NCCL's" "no libnccl with symbols"
	skip "… with readable names, too" "no libnccl with symbols"
fi

cat >"$tmp/names" <<-'END'
	nccl ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)
	nccl _Z30ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t16ncclWorkElemList
	nccl ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)
	nccl ncclSymDevKernel_AllReduce_RSxLD_AGxST_sum_bf16(ncclSymDevArgs)
	nccl ncclSymkDevKernel_AllGather_LL(ncclSymkDevWorkArgs4K)
	nccl void (anonymous namespace)::oneRankReduce<FuncPreMulSum<float> >(void*, void*, unsigned long, unsigned long, bool)
	nccl rcclGenericKernel
	other void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals, vllm::Signal*)
	other void sglang::cross_device_reduce_1stage<__half, 8>(sglang::RankData*, sglang::RankSignals)
	other void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 4, true, false>(tensorrt_llm::kernels::AllReduceParams)
	other void tensorrt_llm::kernels::twoShotAllReduceKernel<float, 8, false>(tensorrt_llm::kernels::AllReduceParams)
	other void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<(flashinfer::X)1, __half, 2>(P)
	other void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, 2>(c10::BFloat16**)
	other void (anonymous namespace)::one_shot_all_reduce_kernel<float, 16, 8>(float**, float*, float*)
	other void <unnamed>::multimem_all_reduce_kernel<float, 16>(float*, unsigned long, unsigned int**)
	other void multimem_one_shot_all_reduce_kernel<c10::BFloat16, 8>(c10::BFloat16*, c10::BFloat16*)
	other void multimem_all_gather_kernel<16>(char*, char*, unsigned long, unsigned int**)
	other void rdxn_on_stream_kernel<float, (rdxn_ops)6>(int, float*, float const*, unsigned long)
	other void barrier_on_stream_kernel_threadgroup<(threadgroup_t)2>(int, int)
	other void deep_ep::internode_ll::dispatch<true, false, 7168>(void*, void*, int*)
	other _ZN7deep_ep9intranode7combineI13__nv_bfloat16Li8ELi768EEEvPT_Pf
	other void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop_fp8<4, __nv_fp8_e4m3>(int, int, int)
	other kuserbuffers_pushsend(int*, int*, int4*, int4*, int)
	other void nccl_ep::internode_ll::dispatch<true, 7168>(void*, int*)
	other nccl_ep_jit_ll_combine_kernel
	other void hybrid_ep::dispatch_kernel<hybrid_ep::X, 4, 8>(hybrid_ep::dispatch_kernel_param_t<float>)
	other void tensorrt_llm::kernels::mnnvl_throughput::moeA2ADispatchKernel<8, false>(int const*, P, int)
	other void tensorrt_llm::kernels::mnnvl_throughput::moeA2ACombineKernel<__half, 8>(P, int)
	other void tensorrt_llm::kernels::ar_fusion::moe::moefinalize_allreduce_fusion_kernel_oneshot_lamport<__half, 8>(P)
	other void flashinfer::trtllm_mnnvl_allreduce::oneshotAllreduceFusionKernel<8, __nv_bfloat16, true>(__nv_bfloat16*)
	other void flashinfer::trtllm_mnnvl_allreduce::twoshotAllreduceKernel<8, __nv_bfloat16>(__nv_bfloat16*)
	other void flashinfer::trtllm_allreduce::lamport::lamport_style_one_shot_all_reduce_norm_kernel<8, __half, 8>(P)
	other void mscclpp::collective::allreducePacket<(mscclpp::ReduceOp)0, float, float>(float*, float*)
	none void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(at::native::ReduceOp<float>)
	none void reduce_1Block_kernel<float, 128, 7>(float const*, float, float*, int)
	none void cross_entropy_kernel<float>(float*)
	none my_kernel(ncclDevComm*)
	none void wait_for<deep_ep::Buffer>(deep_ep::Buffer*)
	none ampere_sgemm_128x64_tn
	none void tensorrt_llm::kernels::mnnvl_throughput::moeA2ASanitizeExpertIdsKernel(int*, int const*, int)
	none void site::exchange_halo<3>(float*)
END
cut -d' ' -f2- "$tmp/names" | "$names" >"$tmp/told"
ok "kernels of other libraries communicate, similar names do not" diff "$tmp/names" "$tmp/told"
printf '# of our site\nexchange_halo # between GPUs\n\n' >"$tmp/further"
ok "names that a user gives communicate" \
	same "$(grep -h 'exchange_halo\|sgemm' "$tmp/names" | cut -d' ' -f2- | "$names" "$tmp/further" | cut -d' ' -f1 | tr '\n' ' ')" "none other "
ok "a file that cannot be read is an error" sh -c '! "$1" "$2" </dev/null 2>"$3"' - "$names" "$tmp/none" "$tmp/err"
ok "… of one line" same "$(cat "$tmp/err")" "tacho: TACHO_KERNELS: cannot read $tmp/none: No such file or directory"
ok "mangled names with NCCL among their parameters are not NCCL's" \
	same "$(echo _Z9my_kernelP11ncclDevComm | "$names" | cut -d' ' -f1)" none
