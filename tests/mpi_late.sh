#!/bin/sh
# A libmpi that comes late, by dlopen(RTLD_LOCAL), is recorded too.
. "$top_srcdir/tests/mpi_common.sh"
compile_dump || { echo "Bail out! tests/e2e/mpi_dump.c does not compile"; exit 1; }
${CC:-cc} -w -o "$dir/late" "$top_srcdir/tests/e2e/mpi_late.c" -ldl

echo 1..4
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		for i in 1 2; do skip "$family: loaded late" "no $family compiler"; done
		continue
	fi
	"$(mpicc_of $family)" -w -shared -fPIC -DMODULE -I"$top_srcdir/tests/e2e" -o "$dir/module.so" \
		"$top_srcdir/tests/e2e/mpi_late.c"
	printf '#!/bin/sh\nexec "%s/late" "%s/module.so"\n' "$dir" "$dir" > "$dir/mpi_late.$family"
	chmod +x "$dir/mpi_late.$family"
	traced $family 2 mpi_late || show "$dir/run/out"
	trace_equals_expected
	ok $? "$family: calls of a libmpi loaded with RTLD_LOCAL are recorded exactly"
	bare $family 2 mpi_late
	results_equal 2
	ok $? "$family: the module gets the same results"
done
