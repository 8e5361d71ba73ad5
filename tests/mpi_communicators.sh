#!/bin/sh
# Communicators: all members define one with the same members, parent and
# creation number, no other one has the same, names and ends are reported.
. "$top_srcdir/tests/mpi_common.sh"
compile_dump || { echo "Bail out! tests/e2e/mpi_dump.c does not compile"; exit 1; }

# Lines "GLOBAL-KEY | rank number", where the parent's number is replaced by the parent's key.
keys()
{
	awk '
	$2 == "def" && $3 == "comm" {
		members = ""
		for (i = 14; i <= NF; i++) members = members " " $i
		rank = $1; id = $4; parent = $8; creation = $12
		if (members ~ /\|/) {		# either group may be the local one
			split(members, half, " [|] ")
			members = half[1] < " " half[2] ? half[1] " | " half[2] : " " half[2] " |" half[1]
		}
		up = length(creation) == 8 ? "by-group" : parent ? key[rank, parent] : "none"
		key[rank, id] = "<" up ":" creation ":" members ">"
		n = gsub(/[0-9]+/, "&", members)
		print key[rank, id] "\t" rank "\t" n
	}' "$1"
}

check_family()
{
	traced "$1" 4 mpi_objects || show "$dir/run/out"
	"$dir/dump" "$dir"/run/spool/* > "$dir/dumped"
	keys "$dir/dumped" > "$dir/keys"
	# Every key is defined once by each of its members, no more and no less.
	cut -f 1,3 "$dir/keys" | sort | uniq -c | awk '$1 != $NF && $0 !~ /<none:/' > "$dir/odd"
	test -s "$dir/keys" && ! test -s "$dir/odd"
	ok $? "$1: every communicator is defined alike by each of its members"
	show "$dir/odd"
	test "$(grep -c '^[0-3] def name 8 copy of the world' "$dir/dumped")" = 4
	ok $? "$1: the name given to a communicator is reported"
	made=$(grep -c 'def comm [0-9]* kind [34]' "$dir/dumped")
	test "$(grep -c 'def free' "$dir/dumped")" = "$made" -a "$made" -gt 60
	ok $? "$1: each communicator that was made is freed"
	grep -q "def file $dir/run/mpi_objects.data" "$dir/dumped" &&
		! grep 'def file' "$dir/dumped" | grep -qv 'def file /'
	ok $? "$1: paths of files are absolute"
	grep -q "def library $2" "$dir/dumped"
	ok $? "$1: the library's version is reported"
}

echo 1..10
for family in openmpi:Open.MPI mpich:MPICH; do
	if [ -z "$(mpicc_of ${family%:*})" ] || ! compile ${family%:*} mpi_objects; then
		for i in 1 2 3 4 5; do skip "${family%:*}: communicators" \
			"no ${family%:*} compiler"; done
	else
		check_family ${family%:*} "${family#*:}"
	fi
done
