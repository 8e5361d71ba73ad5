# trainer_cuda_common.sh - what the tests of the trainer on GPUs share: stand-ins for the CUDA
# libraries (tests/standin), on which the unchanged trainer trains, and the comparison with its truth.
. "$top_srcdir/tests/trainer_common.sh"
module=$top_builddir/examples/trainer/.libs/trainer-cuda.so
export tacho=$top_builddir/analyzer/tacho

# The stand-ins of the toolkit's version that the module was linked with.
standins=
for version in 13 12; do
	[ -f "$module" ] && grep -q "libcudart\.so\.$version" "$module" && standins=$top_builddir/tests/standin/cuda$version
done

cuda_plan() {
	[ -f "$module" ] || { echo "1..0 # SKIP the trainer was built without CUDA"; exit 0; }
	for library in libcudart libcublas libnccl; do
		ls "$standins/$library".so.* >/dev/null 2>&1 || { echo "1..0 # SKIP no stand-in for $library"; exit 0; }
	done
	plan "$1"
	export LD_LIBRARY_PATH="$standins${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# checked RUN MEMBERS TRUTH…: the recording against the truth; each line that fails is shown.
checked() {
	folder=$1 members=$2
	shift 2
	python3 "$top_srcdir/tests/gpu/check.py" truth "$folder" "$@" --standin --members "$members" \
		--shortest 0.1 >check.log 2>&1
	outcome=$?
	sed 's/^/# /' check.log
	return $outcome
}
