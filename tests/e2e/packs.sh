#!/bin/sh
# Spools that lay on a node's own disk come to the run in one file per node, and say the same as folders.
. "$top_srcdir/tests/e2e/lib.sh"

[ "$(stat -c %d /dev/shm 2>/dev/null)" != "$(stat -c %d .)" ] && shm=$(mktemp -d /dev/shm/tacho.XXXXXX) ||
	skip_all "/dev/shm is no other file system than the folder of the test"
trap 'cd / && rm -rf "$shm" "$work"' EXIT

# Four ranks on two nodes with steps, reads and collectives; each has a child in a slot and one in a folder.
awk 'function reads(step) {
		print "rec IO pread 0 1", step * 4000000 + 2000, 1000000 + rank * 97, 4096
	}
	BEGIN {
	for (rank = 0; rank < 4; rank++)
		for (child = 0; child < 2; child++) {
			print "process n" int(rank / 2) "." child * 4 + rank + 1 ".0", child * 4 + rank + 1, rank, 4
			if (child)
				print "child"
			print "node n" int(rank / 2)
			if (!child) {
				print "name 1 step"
				print "comm 1 world 0 0", rank, "0-3", "MPI_COMM_WORLD"
			}
			print "handle 1 file", rank + 10, 0, "/data/part" rank
			print "end 190000000"
			print "thread 0 main"
			for (step = 0; step < 40; step++) {
				if (!child)
					print "rec BEGIN step 0 1", step * 4000000 + 1000, 0, step
				reads(step)
				if (!child) {
					print "rec COLL MPI_Allreduce 0 1", step * 4000000 + 2000000, 1000000, 1048576
					print "rec END step 0 0", step * 4000000 + 3900000, 0, 32
				}
			}
			print "thread 1 loader"
			reads(41)
		}
	}' >spools.txt
mkdir -p folders/spool
"$top_builddir/tests/unit/spool_make" folders/spool <spools.txt || exit 99

# Each node has two tachos, whose folders are on its disk.
packed() {
	mkdir -p "$1/spool" && echo 'command x' >"$1/run.properties" || return
	for part in n0.1 n0.2 n1.3 n1.4; do
		mkdir "$shm/$part"
		for folder in folders/spool/"$part".0 folders/spool/"${part%.*}.$((${part#*.} + 4)).0"; do
			cp -r "$folder" "$shm/$part" || return
		done
		printf '%s\n%s\n' "$(hostname)" "$shm/$part" >"$1/local.$part"
	done
}
packed packs || exit 99
check "four folders are brought" timeout 100 "$tacho" -q finish --keep-spools packs
check "into one file" same "$(find packs/spool -type f | wc -l) $(find packs/spool -name '*.pack' | wc -l) $(ls "$shm")" "1 1 "
"$tacho" -q merge folders || exit 99
check "the archive is that of folders" sh -c 'for f in folders/trace/traces/*.evt folders/trace/traces.def; do
	cmp "$f" "packs/trace/${f#folders/trace/}" || exit; done'
if command -v strace >/dev/null; then
	strace -f -e trace=open,openat -o opens "$tacho" -q merge -f -j 1 packs
	check "a merge opens the file once per process, and none for a rank" same \
		"$(grep -c '\.pack' opens) $(grep -c '\.pack/' opens)" "$(grep '\.pack' opens | cut -d ' ' -f 1 | sort -u | wc -l) 0"
else
	check "# SKIP strace is not installed" true
fi
check "the summary of ranks is there by tacho where" sh -c '"$0" where packs | grep -q "rank"' "$tacho"

# A tacho that was killed while it brought: what it had begun is no part, and the next one writes there.
packed torn || exit 99
"$tacho" -q finish --keep-spools torn >/dev/null 2>&1
pack=$(find torn/spool -name '*.pack')
size=$(stat -c %s "$pack")
head -c 10000 /dev/urandom >>"$pack"
mkdir "$shm/again" && cp -r folders/spool/n0.5.0 "$shm/again" && mv "$shm/again/n0.5.0" "$shm/again/n0.99.0"
printf '%s\n%s\n' "$(hostname)" "$shm/again" >torn/local.9
rm -rf torn/trace torn/tacho.db
check "what a killed tacho began is written over" sh -c '"$0" -q finish --keep-spools torn &&
	[ $(($(stat -c %s "$1") % 4096)) -eq 0 ] && [ "$(stat -c %s "$1")" -gt "$2" ]' "$tacho" "$pack" "$size"
check "and all processes are read" same "$(query "select count(*) from process" torn)" 9
cp -r torn cut && truncate -s "$((size - 4096))" "$(find cut/spool -name '*.pack')"
check "of a pack that was cut short the whole parts are read" sh -c '"$0" -q merge -f cut'  "$tacho"
plan
