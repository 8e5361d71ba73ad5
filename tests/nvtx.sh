#!/bin/sh
# NVTX ranges become user regions, those of frameworks' steps become steps.
. "$top_srcdir/tests/collector_common.sh"
program=$top_builddir/tests/e2e/nvtx_ranges
if [ ! -x "$program" ]; then
	echo "1..0 # SKIP no nvtx3 header"
	exit
fi
echo 1..15

# What a run's main thread marked: "begin NAME VALUE" and "end KIND".
marks()
{
	"$dump" "$1"/spool/* | awk '
		$1 == "name" { id = $2; sub(/^name [0-9]+ /, ""); name[id] = $0 }
		$1 == "begin" { for (i = 1; i <= NF; i++) if ($i ~ /^a=/) a = substr($i, 3); print "begin", name[a], $NF }
		$1 == "end" && $2 ~ /^depth/ { print "end" }'
}

"$program" ranges >"$tmp/plain"
record "$tmp/ranges" "$program" ranges >"$tmp/ranges.out"
marks "$tmp/ranges" >"$tmp/ranges.marks"
ok "every range is begun and ended" same "$(grep -c ^end "$tmp/ranges.marks")" "$(grep -c ^begin "$tmp/ranges.marks")"
ok "by name: ASCII, wide and registered" same \
	"$(grep -cx 'begin \(outer\|wide é\|registered\|inner of a domain\|a mark\) 0' "$tmp/ranges.marks")" 5
ok "a range ends where it does, also in domains" same "$(sed 's/ 0$//' "$tmp/ranges.marks" | head -10 | tr '\n' ';')" \
	"begin outer;begin wide é;begin registered;begin inner of a domain;end;end;begin a mark;end;end;end;"
ok "overlapping ones end innermost first" same "$(sed -n '11,14p' "$tmp/ranges.marks" | sed 's/ 0$//' | tr '\n' ';')" \
	"begin first;begin second;end;end;"
ok "one that another thread ended is over before the next begins" same \
	"$(sed -n '15,18p' "$tmp/ranges.marks" | sed 's/ 0$//' | tr '\n' ';')" "begin third;end;begin behind;end;"
ok "what NCCL says of itself is left out" sh -c '! grep -q nccl "$1"' - "$tmp/ranges.marks"
ok "NVTX answers depths" same "$(tr '\n' ' ' <"$tmp/ranges.out")" \
	"depth 0 depth 1 depth 0 depth 1 depth 0 left 0 left 1 left 0 left 1 left 0 left -2 numbers differ: 1 "

record "$tmp/steps" "$program" steps
marks "$tmp/steps" >"$tmp/steps.marks"
ok "a framework's iterations are steps with their numbers" same \
	"$(grep '^begin step ' "$tmp/steps.marks" | tr '\n' ';')" \
	"begin step 5;begin step 0;begin step 6;begin step 0;begin step 7;begin step 0;"
ok "and are so to tacho: the optimizer's step is a region" same \
	"$("$dump" "$tmp/steps"/spool/* | awk '$1 == "begin" { print $3 }' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
	' 8 mark=1; 3 mark=3;'

record "$tmp/torch" "$program" torch
ok "PyTorch's operators have one name" same "$(marks "$tmp/torch" | grep -c '^begin aten::mm 0')" 2000
ok "and its profiler's steps are steps" same "$(marks "$tmp/torch" | grep '^begin step' | tail -1)" "begin step 49"

record "$tmp/names" "$program" names
ok "names that count are not defined without end" sh -c 'test "$1" -gt 1000 -a "$1" -lt 1100 || { echo "$1"; false; }' - \
	"$(lines "$tmp/names" '^name ')"

record "$tmp/marked" "$program" marked
ok "a program that marks its steps has no others" same \
	"$(marks "$tmp/marked" | grep -c '^begin iteration')" 3

TACHO_STEP_RANGE=request record "$tmp/serve" "$program" serve
ok "ranges of a name that is given are the steps, of the main thread" same \
	"$("$dump" "$tmp"/serve/spool/* | awk '$1 == "name" { id = $2; sub(/^name [0-9]+ /, ""); name[id] = $0 }
		$1 == "begin" { for (i = 1; i <= NF; i++) if ($i ~ /^a=/) a = substr($i, 3); print name[a], name[a] == "step" ? $NF : "" }' | sort | tr '\n' ';')" \
	"iteration ;iteration ;iteration ;iteration ;iteration ;iteration ;iteration ;iteration ;iteration ;iteration ;request 0 ;request 1 ;request 2 ;request 3 ;request 4 ;step 0;step 1;step 2;step 3;step 4;"

# What AddressSanitizer holds back of freed memory would count, too.
come="threads that come and go take no more memory"
[ -z "${ASAN_OPTIONS:-}" ] || { skip "$come" "measured without AddressSanitizer"; exit; }
grown=$(record "$tmp/threads" "$program" threads)
ok "$come" sh -c 'test "$1" -lt 4096 || { echo "$1 KiB"; false; }' - "$grown"
