#!/bin/sh
# The names of libtorch's methods over its releases. Lists in tests/data/libtorch are what libraries export; headers
# declare the rest (tests/standin/torch/torch.hpp), as of wheels with libstdc++'s older strings. A stand-in with those names is recorded.
. "$top_srcdir/tests/e2e/lib.sh"

lists=$top_srcdir/tests/data/libtorch
standin=$top_srcdir/tests/standin/torch
command -v c++filt >/dev/null || skip_all "c++filt is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"

# relevant: of the names on stdin those of methods that tacho may be about
relevant() {
	grep -E '^_ZN(2at14RecordFunction(C1|3end)|4c10d(16ProcessGroupGloo(C1|[0-9]+(recvAnysource|monitoredBarrier|[a-z_]+)E|9AsyncWork(14finishWorkGlooE|9getF)|(8RecvWork|8SendWork)4wait)|4Work(4wait|11isC|D2)|11PrefixStoreC1|7Reducer(17finalize_b|17all_reduce_b|19prepare_for_f))|5torch(3jit37_get_operation_for|8autograd(6Engine(7executeE|11thread_init|21reentrant)|8profiler25record_function_enter_new))|6caffe29serialize19PyTorchStreamWriter(5setup|14writeEndOfFile))' |
		LC_ALL=C sort -u
}
exported() {
	nm -D --defined-only "$@" | awk '{ sub(/@.*/, "", $3); print $3 }' | relevant
}
# forgotten LIST: its names that are neither wrapped nor left alone for a reason
forgotten() {
	LC_ALL=C comm -23 "$1" wrapped >rest
	c++filt <rest | sed 's/(.*//' | paste - rest | while read -r method name; do
		grep -qxF -e "$method" -e "$name" aside || echo "$method: $name"
	done
}
exported "$library" >wrapped
sed 's/ *#.*//' "$lists/aside" | grep . >aside

for release in 1.13.1 2.6.0 2.14.1; do
	grep -v '^#' "$lists/$release" >"$release"
	check "$release: each operation and each spelling of what is wrapped is known" same "$(forgotten $release)" ""
done
check "a spelling that is not wrapped would be found" same "$(echo _ZN4c10d11PrefixStoreC1EPKc >unknown; forgotten unknown)" \
	"c10d::PrefixStore::PrefixStore: _ZN4c10d11PrefixStoreC1EPKc"
check "a new operation would be found" same "$(echo _ZN4c10d16ProcessGroupGloo6invertERN2at6TensorE | relevant >unknown; forgotten unknown)" \
	"c10d::ProcessGroupGloo::invert: _ZN4c10d16ProcessGroupGloo6invertERN2at6TensorE"

# Debian's 1.13.1 calls itself 1.13.0a0.
folder=$(PYTHONPATH= /usr/bin/python3 -c 'import os, torch; print(torch.__version__.split("+")[0].replace("1.13.0a0", "1.13.1"), os.path.dirname(torch.__file__))' 2>/dev/null) || folder=
if [ -n "$folder" ] && [ -e "$lists/${folder%% *}" ]; then
	exported "${folder#* }/lib/libtorch_cpu.so" "${folder#* }/lib/libtorch_python.so" >installed
	check "the list of the release that is installed is what it exports" cmp installed "${folder%% *}"
fi

printf 'int main() { return 0; }\n' >try.cpp
"${CXX:-c++}" -std=c++17 -o try try.cpp 2>/dev/null || { plan; exit 0; }

# Of releases whose libraries are not at hand.
for kind in 113.0 202.0 202.1 206.0 206.1 214.1; do
	"${CXX:-c++}" -std=c++17 -O0 -shared -fPIC -DRELEASE=${kind%.*} -D_GLIBCXX_USE_CXX11_ABI=${kind#*.} -o libtorch$kind.so "$standin/torch.cpp" &&
		"${CXX:-c++}" -std=c++17 -DRELEASE=${kind%.*} -D_GLIBCXX_USE_CXX11_ABI=${kind#*.} -o train$kind "$standin/main.cpp" ./libtorch$kind.so || exit 99
	exported libtorch$kind.so >$kind
	check "as headers declare ${kind%.*} with strings of kind ${kind#*.}: each name is known" same "$(forgotten $kind)" ""
done
for pair in "206.1 2.6.0" "214.1 2.14.1"; do
	check "the stand-in has the names of ${pair#* }, as far as both are there" same "$(c++filt <${pair% *} | sed 's/(.*//' | paste - ${pair% *} |
		while read -r method name; do grep -qxF "$name" ${pair#* } || echo "$method"; done)" ""
done
LC_ALL=C sort -mu 1.13.1 2.6.0 2.14.1 113.* 202.* 206.* 214.* >all
check "nothing is wrapped that no release has" same "$(LC_ALL=C comm -23 wrapped all)" ""

cat >launch <<-'END'
	export WORLD_SIZE=4
	for RANK in 1 2 3 0; do
		export RANK
		"$@" &
	done
	wait
END
groups_of="select group_concat(size || ':' || n, ' ') from (select m.size, count(*) as n from communicator m join collective c on c.comm_id = m.id
	group by m.id order by m.size, m.id)"
operations="select group_concat(op || ' ' || bytes || ' ' || n, ', ') from (select op, bytes, count(*) as n from collective group by op, bytes order by op, bytes)"
scopes="select group_concat(name || ' ' || calls, ', ') from (select name, sum(calls) as calls from call where name in ('torch:loader',
	'torch:optimizer', 'torch:save') group by name order by name)"
of113="allgather 80 4, allgather 160 1, allreduce 40 5"
of202="allgather 80 4, allgather 160 1, allreduce 40 5, reducescatter 80 4, reducescatter 160 1"
of206="allgather 80 8, allgather 160 2, allreduce 40 5, allreduce 44 5, allreduce 80 4, allreduce 160 1, reducescatter 80 4, reducescatter 160 1"
of214="allgather 80 8, allgather 160 2, allreduce 40 5, allreduce 44 5, alltoall 80 8, alltoall 160 2, reducescatter 80 8, reducescatter 160 2"
recorded() { # KIND OPERATIONS OF-A-GROUP [ARGUMENT]
	head -c 4096 /dev/zero >meet
	check "a training on $1 is recorded" "$tacho" -q record -o run$1$4 -- sh ./launch ./train$1 meet $4
	check "operations have their bytes" same "$(query "$operations" run$1$4)" "$2"
	check "each group of 4 or 2 ranks has its own" same "$(query "$groups_of" run$1$4)" "2:$3 2:$3 2:$3 2:$3 4:$3"
	check "all members take part, and no check fails" same "$(query "select (select count(*) from unmatched) + (select count(*) from checks where not ok)
		+ (select total(count) from loss)" run$1$4)" 0.0
	check "loader, optimizer and save are regions" same "$(query "$scopes" run$1$4)" "torch:loader 4, torch:optimizer 4, torch:save 4"
}
recorded 113.0 "$of113" 2
recorded 202.0 "$of202" 3
recorded 206.0 "$of206" 6
recorded 214.1 "$of214" 8
# Rows and columns of a mesh, whose stores have no names.
recorded 202.1 "$of202" 3 nameless
plan
