#!/bin/sh
# tests/setup asks whether a part can be used, not whether a command or a .pc file of its name is there.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
n=0
check() {
	status=$?
	n=$((n + 1))
	[ $status -eq 0 ] && echo "ok $n - $1" || { echo "not ok $n - $1"; sed 's/^/# /' "$work/list"; }
}

# fake NAME STATUS TEXT: a command that prints the text and does nothing
fake() {
	printf '#!/bin/sh\necho "%s"\nexit %s\n' "$3" "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1"
}

# lacks PART…: each is missing where the commands of $work/bin come first
lacks() {
	PATH=$work/bin:$PATH "$top_srcdir/tests/setup" --list run >"$work/list" 2>&1
	for part; do grep -qx "$part no" "$work/list" || return; done
}

echo 1..5
mkdir "$work/bin"
"$top_srcdir/tests/setup" --list run >"$work/list" 2>&1 && grep -qx 'C compiler yes' "$work/list" && grep -qx 'SQLite yes' "$work/list" &&
	grep -qx 'OTF2 yes' "$work/list"
check "what tacho was built with here is there"
fake mpicc 1 "fatal error: mpi.h: No such file or directory"
lacks "Open MPI" && grep -qx 'SQLite yes' "$work/list"
check "an mpicc without mpi.h is no MPI"
fake gnuplot 1 "unknown or ambiguous terminal type"
lacks gnuplot
check "a gnuplot without terminals draws nothing"
fake pkg-config 0 ""
fake otf2-config 0 ""
lacks SQLite hwloc zlib OpenBLAS OTF2 && grep -qx 'C compiler yes' "$work/list"
check "nor are libraries that do not link"
fake cc 1 "cannot find crt1.o"
lacks "C compiler"
check "nor a compiler that makes no program"
