#!/bin/sh
# Every exported function that moves bytes, opens, launches or waits is recorded, or documented as
# not seen: libc's, MPI's, NCCL's and CUDA's, by their symbol tables. libc's less common calls are
# recorded with the bytes that they move.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
echo 1..11

sed -n -e 's/^CALL(\([A-Za-z0-9_]*\),.*/\1/p' -e 's/^COUNTED(\([A-Za-z0-9_]*\),.*/\1\n\1_c/p' \
	"$top_srcdir"/include/tacho/*_calls.def >"$tmp/patterns"
# Of the page the first column of its tables.
sed -n 's/^| \(`[^|]*\)|.*/\1/p' "$top_srcdir/docs/unseen.md" | grep -o '`[^`]*`' | tr -d '`' >"$tmp/unseen"
cp "$tmp/patterns" "$tmp/recorded"
sed 's/#.*//' "$top_srcdir/tests/exports_aside.txt" | tr -s ' ' '\n' | grep . >"$tmp/aside"
sed -n '/^ \* Left alone/,$p' "$top_srcdir/include/tacho/mpi_calls.def" | grep -o 'MPI_[A-Za-z_0-9*]*' >"$tmp/left"
cat "$tmp/unseen" "$tmp/aside" "$tmp/left" >>"$tmp/patterns"

# exports LIBRARY REGEX
exports()
{
	nm -D --defined-only "$1" | awk '$2 ~ /^[TWi]$/ && $3 !~ /@GLIBC_PRIVATE/ { sub(/@.*/, "", $3); print $3 }' |
		grep -E "$2" | LC_ALL=C sort -u
}

# forgotten: of the names on stdin those that nothing accounts for, and how many there were
forgotten()
{
	awk -v file="$tmp/patterns" '
	BEGIN {
		while ((getline p < file) > 0)
			if (p ~ /\*/) { gsub(/\*/, ".*", p); any = any (any == "" ? "" : "|") p } else known[p] = 1
		any = "^(" any ")$"
	}
	!($0 in known) && $0 !~ any { print; n++ }
	END { exit !NR || n > 0 }'
}

# of the names on stdin those that the page says are not seen
said_unseen()
{
	awk -v file="$tmp/unseen" '
	BEGIN {
		while ((getline p < file) > 0) { gsub(/\*/, ".*", p); any = any (any == "" ? "" : "|") p }
		any = "^(" any ")$"
	}
	$0 ~ any'
}
ok "nothing that is recorded is said to be unseen" same "$(said_unseen <"$tmp/recorded")" ""

libc=$(ldd "$lib" | awk '/libc\.so/ { print $3 }')
reviewed=2.36
version=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2)
exports "$libc" . | grep -v '^_nl_\|^_IO_2_1\|^GLIBC' | forgotten >"$tmp/libc"
if [ -s "$tmp/libc" ] && [ "$version" != $reviewed ]; then
	skip "libc: every function is accounted for" \
		"glibc $version has $(wc -l <"$tmp/libc") functions that nobody has reviewed"
else
	ok "libc: every function is accounted for" same "$(cat "$tmp/libc")" ""
fi
ok "a new one would be noticed" same "$(echo copy_files_fast | forgotten)" copy_files_fast

# check NAME LIBRARY REGEX: the same of a library that may not be there
check()
{
	if [ -r "$2" ]; then
		exports "$2" "$3" | forgotten >"$tmp/rest"
		ok "$1: every function is accounted for" same "$(cat "$tmp/rest")" ""
	else
		skip "$1: every function is accounted for" "no library of $1"
	fi
}

# mpi_of COMPILER: the library that its programs load
mpi_of()
{
	echo 'int MPI_Finalize(void); int main(void) { return MPI_Finalize(); }' >"$tmp/mpi.c"
	[ -n "$1" ] && "$1" -o "$tmp/mpi" "$tmp/mpi.c" 2>/dev/null &&
		ldd "$tmp/mpi" | awk '/libmpi(ch)?\.so/ { print $3 }'
}

check "Open MPI" "$(mpi_of "$MPICC_OPENMPI")" '^MPIX?_[A-Z]'
check MPICH "$(mpi_of "$MPICC_MPICH")" '^MPIX?_[A-Z]'
cuda=${CUDA_HOME:-/usr/local/cuda}
first_of()
{
	ls "$@" 2>/dev/null | head -n 1
}
verbs='Launch|Mem(cpy|set|.*Prefetch|.*Discard|BatchDecompress)|Synchronize|Wait|Record|Malloc|Free|Alloc|BatchMemOp'
check NCCL "$(first_of "${NCCL_DIR:-$cuda}"/lib*/libnccl.so.2)" '^p?nccl[A-Z]'
# Of CUDA what works on a device; versions of a function are one.
for part in runtime:libcudart.so.1?:cuda driver:stubs/libcuda.so:cu; do
	name=${part%%:*}
	file=$(first_of "$cuda"/lib*/$(echo "$part" | cut -d : -f 2))
	prefix=${part##*:}
	if [ -r "$file" ]; then
		exports "$file" "^$prefix[A-Z].*($verbs)" |
			sed 's/_v[0-9]*$//; s/_pt[ds][sz]$//; s/_v[0-9]*$//' | sort -u | forgotten >"$tmp/rest"
		ok "CUDA $name: every function is accounted for" same "$(cat "$tmp/rest")" ""
	else
		skip "CUDA $name: every function is accounted for" "no CUDA $name"
	fi
done

# By characters and by direct system calls; the first sample of the account is before them: the
# library's thread, which makes it, has slept.
cat >"$tmp/unseen.c" <<-'EOF'
	#include <glob.h>
	#include <stdio.h>
	#include <string.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	#include <tacho.h>
	static int slept(const char *status)
	{
		char line[99];
		int is_ours = 0, n = 0, parent = 0;
		FILE *fp = fopen(status, "r");

		while (fp && fgets(line, sizeof(line), fp)) {
			is_ours |= !strcmp(line, "Name:\ttacho\n");
			sscanf(line, "PPid: %d", &parent);
			sscanf(line, "voluntary_ctxt_switches: %d", &n);
		}
		if (fp)
			fclose(fp);
		return is_ours && parent == getpid() && n > 3;
	}
	static int sampled(void)
	{
		glob_t tasks;
		int is = 0;

		if (glob("/proc/[0-9]*/status", 0, 0, &tasks))
			return 0;
		for (size_t i = 0; i < tasks.gl_pathc; i++)
			is |= slept(tasks.gl_pathv[i]);
		globfree(&tasks);
		return is;
	}
	int main(void)
	{
		static char data[1500000];
		FILE *fp = fopen("unseen", "w");

		tacho_step_begin(0);
		for (int i = 0; i < 200 && !sampled(); i++)
			usleep(50000);
		for (int i = 0; i < 1500000; i++)
			putc('x', fp);
		fclose(fp);
		fp = fopen("unseen", "w");
		syscall(SYS_write, fileno(fp), data, sizeof(data));
		tacho_step_end(1);
		return 0;
	}
EOF
if ${CC:-cc} -w -O2 -I"$top_srcdir/include" -o "$tmp/unseen.run" "$tmp/unseen.c" 2>"$tmp/log"; then
	(cd "$tmp" && "$tacho" record -o "$tmp/bypass" -- ./unseen.run >"$tmp/summary" 2>&1)
	ok "what no call shows is said with its size" \
		grep -q '3\.[01] MB written by calls that tacho does not see' "$tmp/summary"
else
	cat "$tmp/log" | sed 's/^/# /'
	ok "what no call shows is said with its size" false
fi

# What the program says of its files, in the order of their names.
mkdir "$tmp/files" && cd "$tmp/files" || exit 1
moved()
{
	sqlite3 -separator ' ' "$tmp/run/tacho.db" "select case when path like 'socket:%' then 'socket'
		else replace(path, rtrim(path, replace(path, '/', '')), '') end as name,
		sum(bytes_read), sum(bytes_written) from io_file where path like '$tmp/files/%'
		or path like 'socket:%' group by name" | sort
}
if ${CC:-cc} -w -O2 -o "$tmp/calls" "$top_srcdir/tests/e2e/libc_calls.c" 2>"$tmp/log" &&
	"$tacho" -q record --all -o "$tmp/run" -- "$tmp/calls" 2>"$tmp/said"; then
	ok "bytes of libc's less common calls are counted" same "$(moved)" "$(sort "$tmp/said")"
	"$tmp/calls" 2>"$tmp/bare" && sed 's/temporary....../temporaryXXXXXX/' "$tmp/bare" >"$tmp/bare.1"
	ok "their results are those without tacho" same \
		"$(sed 's/temporary....../temporaryXXXXXX/' "$tmp/said")" "$(cat "$tmp/bare.1")"
else
	cat "$tmp/log" "$tmp/said" | sed 's/^/# /'
	ok "bytes of libc's less common calls are counted" false
	ok "their results are those without tacho" false
fi
