# mpi_common.sh - what the mpi_*.sh tests share: a folder of their own, both
# MPIs, TAP lines. Sourced.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe	# the same of Open MPI 5
# The one-sided component of Open MPI 4, which calls itself OpenRTE as mpirun.openmpi, that needs neither of them.
case $(mpirun.openmpi --version 2>/dev/null || mpirun --version 2>/dev/null) in *') 4.'*) export OMPI_MCA_osc=pt2pt ;; esac
export OMPI_MCA_hwloc_base_binding_policy=none
lib=$top_builddir/collector/.libs/libtacho.so
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cases=0

# ok RESULT NAME: one TAP line; RESULT is 0 for success.
ok()
{
	cases=$((cases + 1))
	test "$1" = 0 && echo "ok $cases - $2" || echo "not ok $cases - $2"
}

# skip NAME REASON
skip()
{
	cases=$((cases + 1))
	echo "ok $cases - $1 # SKIP $2"
}

# Shows the start of a file as TAP comments.
show()
{
	head -n 20 "$1" | sed 's/^/# /' | cut -c 1-1000
}

# Functions that have a sibling for large counts; table_functions: all that are wrapped.
counted_functions()
{
	sed -n 's/^COUNTED(\(MPI_[A-Za-z_0-9]*\),.*/\1/p' "$top_srcdir/include/tacho/mpi_calls.def"
}

table_functions()
{
	sed -n 's/^CALL(\(MPI_[A-Za-z_0-9]*\),.*/\1/p' "$top_srcdir/include/tacho/mpi_calls.def"
	counted_functions | sed 'p; s/$/_c/'
}

# Functions that are left alone for a reason, * for anything.
left_alone()
{
	sed -n '/^ \* Left alone/,$p' "$top_srcdir/include/tacho/mpi_calls.def" | grep -o 'MPI_[A-Za-z_0-9*]*'
}

# mpicc_of FAMILY: its compiler, nothing when it is not installed.
mpicc_of()
{
	case $1 in
	openmpi) echo "$MPICC_OPENMPI" ;;
	mpich) echo "$MPICC_MPICH" ;;
	esac
}

# mpirun_of FAMILY: the launcher that stands next to the compiler.
mpirun_of()
{
	mpicc_of "$1" | sed 's/mpicc\([^/]*\)$/mpirun\1/'
}

# compile FAMILY PROGRAM: tests/e2e/PROGRAM.c into $dir/PROGRAM.FAMILY; $cflags are options
compile()
{
	"$(mpicc_of "$1")" -w $cflags -g -pthread -I"$top_srcdir/tests/e2e" -I"$top_srcdir/include" \
		-o "$dir/$2.$1" "$top_srcdir/tests/e2e/$2.c" 2> "$dir/compile.log" ||
		{ show "$dir/compile.log"; return 1; }
}

# The program that prints spools.
compile_dump()
{
	${CC:-cc} -w -D_GNU_SOURCE -I"$top_srcdir/include" -o "$dir/dump" \
		"$top_srcdir/tests/e2e/mpi_dump.c"
}

# traced FAMILY RANKS PROGRAM: runs it under libtacho; spools, expected.* and result.* in $dir/run
traced()
{
	rm -rf "$dir/run" && mkdir "$dir/run" && (
		cd "$dir/run" && EXPECT_DIR=$dir/run RESULT_DIR=$dir/run TACHO_DIR=$dir/run \
			timeout 400 "$(mpirun_of "$1")" -n "$2" env LD_PRELOAD="$lib" "$dir/$3.$1" < /dev/null > out 2>&1
	)
}

# The same without libtacho; result.* in $dir/bare
bare()
{
	rm -rf "$dir/bare" && mkdir "$dir/bare" && (
		cd "$dir/bare" && RESULT_DIR=$dir/bare timeout 400 \
			"$(mpirun_of "$1")" -n "$2" "$dir/$3.$1" < /dev/null > out 2>&1
	)
}

# results_equal RANKS
results_equal()
{
	for rank in $(seq 0 $(($1 - 1))); do
		test -s "$dir/run/result.$rank" || return 1
		diff "$dir/bare/result.$rank" "$dir/run/result.$rank" > "$dir/difference" ||
			{ show "$dir/difference"; return 1; }
	done
}

# trace_equals_expected [sort command]: the spools hold what the program said, call by call
trace_equals_expected()
{
	cat "$dir"/run/expected.* | ${1:-cat} > "$dir/expected" &&
	"$dir/dump" "$dir"/run/spool/* > "$dir/dumped" &&
	grep -v '^[-0-9]* def ' "$dir/dumped" | sort -s -n -k 1,1 | ${1:-cat} > "$dir/found" &&
	test -s "$dir/expected" && diff "$dir/expected" "$dir/found" > "$dir/difference" ||
	{ show "$dir/difference"; return 1; }
}
