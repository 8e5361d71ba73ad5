#!/bin/sh
# tacho where of dumps of PyTorch's Flight Recorder and of ncclras: jobs whose trouble is known (flight_make.py), in
# each encoding; hostile and damaged files get one sentence.
. "$top_srcdir/tests/analyze_common.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
where() { timeout 60 "$tacho" where "$@" 2>"$dir/err"; }
make() { rm -rf "${dir:?}/$1" && python3 "$top_srcdir/tests/flight_make.py" "$dir/$1" "$1" "$2"; }

# says CASE SENTENCE: of each encoding
says() {
	status=0
	for how in torch pickle json; do
		make "$1" $how && where "$dir/$1" >"$dir/out" && [ ! -s "$dir/err" ] && [ "$(head -n 1 "$dir/out")" = "$2" ] || {
			status=1
			cat "$dir/out" >>"$dir/err"
		}
	done
	ok $status "$1: $2"
}

refused() {
	where "$2" >"$dir/out"
	[ $? = 1 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q "$3" "$dir/err"
	ok $? "$1: one sentence"
}

echo 1..22
says late "Ranks 0, 1 and 3 wait in all_reduce #42 of default_pg for rank 2, whose last one there is all_reduce #41, called at train() in train.py:88."
says dead "Ranks 0 and 2 wait in all_reduce #6 of default_pg for rank 1, which left no dump."
says mismatch "Collective #3 of default_pg is all_reduce on rank 0, called at train() in train.py:10, but broadcast on rank 1, called at train() in train.py:77."
says size "Collective #3 of default_pg is all_reduce on rank 0, called at train() in train.py:10, but all_reduce of another size on rank 1, called at train() in train.py:10."
says chain "Rank 1 waits in all_reduce #1 of right for rank 2, whose dump has none there."
says deadlock "Ranks wait for each other. Rank 0 waits in all_reduce #1 of left for rank 1, whose dump has none there. Rank 1 waits in all_reduce #1 of right for rank 0, whose dump has none there."
says queued "All members of default_pg have begun all_reduce #2; the GPUs of rank 1 have not started it, since earlier work of its stream has not ended."
says "done" "No rank was in a collective: all that the dumps have are complete."
says message "Rank 0 waits in send 0->1 of default_pg for rank 1, which is not in it."

make late torch
where "$dir/late"/nccl_trace_rank_[01] "$dir/late"/nccl_trace_rank_[23] --format json >"$dir/out" && python3 - "$dir/out" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))
assert found["verdict"] == "late rank", found
assert [r["waits"] for r in found["ranks"]] == [1, 1, 0, 1], found
assert found["ranks"][2]["groups"] == [{"group": "0", "begun": 41}], found
assert found["ranks"][3]["groups"] == [{"group": "0", "begun": 42, "in": 42}], found
END
ok $? "JSON has the verdict and, by rank, what it has begun and is in"

where "$dir/late" | grep -q '^     2  default_pg                41 begun$'
ok $? "the table has each rank's number"

cat >"$dir/ras.txt" <<'END'
NCCL version 2.24.3 compiled with CUDA 12.8
Job summary
===========
Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4         8        32        32   RUNNING  MISMATCH

Warnings
========

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different collective operation counts
  30 ranks have launched up to operation 6650
  2 ranks have launched up to operation 6649
  Rank 0 -- GPU 0 managed by process 483072 on node 172.16.64.210
  Rank 2 -- GPU 2 managed by process 483074 on node 172.16.64.210
#0-1 (78db921d1c117b4a) MISMATCH
  Communicator ranks have different AllReduce operation counts
  7 ranks have launched up to operation 64
  Rank 7 has launched up to operation 60 -- GPU 3 managed by process 1650386 on node node1
END
where "$dir/ras.txt" >"$dir/out" && [ "$(head -n 1 "$dir/out")" = "Ranks 0 and 2 of communicator 27a079b828ff1a75 have launched\
 collective operation 6649, 30 others 6650: look at GPU 0 managed by process 483072 on node 172.16.64.210. Rank 7 of communicator\
 78db921d1c117b4a has launched AllReduce operation 60, 7 others 64: look at GPU 3 managed by process 1650386 on node node1." ]
ok $? "ncclras: ranks that are behind, with operation, process and node"

printf '%s\n' "Job summary" "Errors" "DEAD" "  1 job process is considered dead (unreachable via the RAS network)" \
	"  Process 3487984 on node 172.16.64.213 managing GPU 5" >"$dir/dead.txt"
where "$dir/dead.txt" >"$dir/out"
grep -q "^Process 3487984 on node 172.16.64.213 managing GPU 5 does not answer\.$" "$dir/out"
ok $? "ncclras: a process that does not answer"

printf '%s\n' "Job summary" "    0  8  4  1  4  32   RUNNING      OK" >"$dir/good.txt"
[ "$(where "$dir/good.txt")" = "All ranks of each communicator answer and have launched as many operations." ]
ok $? "ncclras: nothing to tell"

mkdir "$dir/bad" && cd "$dir/bad" || exit 1
python3 -c '
import os, pickle
class Evil:
    def __reduce__(self):
        return os.system, ("touch harmed",)
open("evil0", "wb").write(pickle.dumps({"entries": [Evil()]}, protocol=2))
open("evil1", "wb").write(b"\x80\x02cposix\nsystem\n(X\x05\x00\x00\x00touchtR.")'
refused "a pickle that would run a program" evil0 "Python would call posix.system to read it"
refused "another" evil1 "Python would call posix.system to read it"
[ ! -e harmed ]
ok $? "and nothing ran"
head -c 300 "$dir/late/nccl_trace_rank_0" >cut0
refused "a dump that was cut" cut0 "cut0 is no dump of the Flight Recorder, or damaged: it ends too early"
printf '\200\002}q\000j\377\377\377\377.' >memo0
refused "a reference to nowhere" memo0 "a place that it does not have"
printf '{"a": 1}' >none0
refused "JSON of something else" none0 "it has no entries"
cp "$dir/late/nccl_trace_rank_0" unnamed
refused "a dump without a rank" unnamed "its rank is not known"

# one byte in each of 400 copies is another: a verdict or a sentence, never a crash
python3 - "$tacho" "$dir/late/nccl_trace_rank_0" "$dir/mismatch/nccl_trace_rank_0.json" <<'END'
import random, subprocess, sys
random.seed(7)
for path in sys.argv[2:]:
    data = open(path, "rb").read()
    data = data[:2000] + data[-400:] if path.endswith("0") else data
    for i in range(200):
        at = random.randrange(1, len(data))
        open("fuzz0", "wb").write(data[:at] + bytes([random.randrange(256)]) + data[at + 1:])
        done = subprocess.run([sys.argv[1], "where", "fuzz0"], capture_output=True, timeout=20)
        assert done.returncode in (0, 1), (path, i, at, done)
END
ok $? "400 dumps with a wrong byte"
