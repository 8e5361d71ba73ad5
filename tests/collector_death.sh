#!/bin/sh
# What a spool holds after kill -9, and after signals at every instruction.
. "$top_srcdir/tests/collector_common.sh"
echo 1..14

# Kills at different moments; the program counts in shared memory what had returned.
for pause in 0.02 0.05 0.1 0.15 0.2 0.3 0.45 0.6; do
	head -c 4096 /dev/zero >"$tmp/count"
	env LD_PRELOAD="$lib" TACHO_DIR="$tmp/kill$pause" RANK=0 WORLD_SIZE=1 "$load" count \
		"$tmp/count" &
	pid=$!
	sleep $pause
	kill -9 $pid
	wait $pid 2>/dev/null
	done=$(od -A n -t u8 -N 8 "$tmp/count" | tr -d ' ')
	found=0
	test "$done" -eq 0 || found=$(lines "$tmp/kill$pause" ' pread ')
	ok "kill -9 after $pause s: all finished calls are there, and at most the last next to them ($done)" \
		test "$found" -ge "$done" -a "$found" -le $((done + 1))
done

env LD_PRELOAD="$lib" TACHO_DIR="$tmp/hang" RANK=0 WORLD_SIZE=1 "$load" hang &
pid=$!
for _ in $(seq 100); do		# a busy machine takes its time until it is there
	sleep 0.2
	[ "$(lines "$tmp/hang" '^inside depth=0 read ' 2>/dev/null)" != 1 ] || break
done
kill -9 $pid
wait $pid 2>/dev/null
ok "a hang names the call it is in" same "$(lines "$tmp/hang" '^inside depth=0 read ')" 1
ok "no process dies with torn records" same "$(lines "$tmp/hang" torn)" 0

handled=$(record "$tmp/signals" "$load" signals 300000)
ok "signal handlers: the handler ran ($handled writes)" test "$handled" -gt 0
ok "signal handlers: all their calls are recorded" same \
	"$(lines "$tmp/signals" ' write .* 1$')" "$handled"
ok "signal handlers: all interrupted calls are recorded" same \
	"$(lines "$tmp/signals" ' pread ')" 300000
# A nested call lies within the call that follows it at the depth above.
nesting='/^(io|call)/ { split($2, d, "="); split($5, s, "="); split($6, l, "=") }
	/^(io|call).*depth=1 / { if (s[2] < last) bad++; inner[++n] = s[2]; end[n] = s[2] + l[2] }
	/^(io|call).*depth=0 / { for (; n > 0; n--) bad += inner[n] < s[2] || end[n] > s[2] + l[2]
		bad += s[2] < last; last = s[2] + l[2] } END { print bad + n + 0 }'
ok "signal handlers: calls nest and keep their order" same \
	"$("$dump" "$tmp"/signals/spool/* | awk "$nesting")" 0
