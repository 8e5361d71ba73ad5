# findings.sh - what the tests of planted trouble share; sourced after lib.sh. The test has a function
# run OPTIONS... that records a training into $work/run. The machine may be busy: whatever is asked of a
# run gets a second and a third chance, and up to a sixth while runs are disturbed; that nothing is found gets
# another one only where the run was disturbed. The log lists in its end each that was missed, and what was found
# then.
chances="1 2 3 4 5 6"

findings() {
	sqlite3 -separator ': ' run/tacho.db 'select n, rule, round(seconds, 3), message from finding order by n'
}

# counted CONDITION: findings of the run
counted() {
	sqlite3 run/tacho.db "select count(*) from finding where $1"
}

# missed WHAT
missed() {
	{
		echo "chance $chance missed: $*"
		findings | sed 's/^/  /'
	} | tee -a "$work/missed"
}

plan() {
	[ ! -e "$work/missed" ] || sed 's/^/# /' "$work/missed"
	echo "1..$ntests"
}

# calm: what was recorded had its cores and its disk, as far as the kernel says. What is found in such a run
# without trouble is wrong at once.
calm() {
	sqlite3 run/tacho.db "select (select max(value) from metric where name = 'without_core' and \"window\" = 'run') < 0.05
		and (select count(*) from sample where name = 'pressure.cpu') > 0 and not exists (select 1 from sample
			where name in ('pressure.cpu', 'pressure.io') group by node_id, name
			having max(value) - min(value) > 0.05 * (max(t_ns) - min(t_ns)))" | grep -q 1
}

# Whether other programs had the cores is no matter of luck, and the truth: where a test is about something else
# without_core takes no place and is no alarm.
beside="rule <> 'without_core'"

# named RULE[/VARIANT]: the condition for its findings
named() {
	echo "'$1' in (rule, rule || '/' || variant)"
}

# taken RULE: the share of the run at hand that its findings name, 0 without one
taken() {
	sqlite3 run/tacho.db "select coalesce(sum(f.seconds) * 1e9 / max(r.duration_ns), 0)
		from run r join finding f on f.run_id = r.id where $(named "$1")"
}

# starved: ranks had no core for a third of their time, as the kernel counts it. What is planted is a smaller part of such
# a run than it was made for. A test that asks for runs with cores sets starving=1: what it misses in starved ones only is
# skipped, but for what starves them itself.
starving=0
starved() {
	[ "$starving" = 1 ] && sqlite3 run/tacho.db "select max(value) > 0.33 from metric where name = 'without_core' and \"window\" = 'run'" |
		grep -q 1
}

# check TEXT COMMAND...: as in lib.sh; status 77: all runs that were tried were starved
check() {
	text=$1
	shift
	if output=$("$@" 2>&1); then
		ok 0 "$text"
	elif [ $? = 77 ]; then
		ok 0 "$text # SKIP ranks had no core for a third of their time"
	else
		ok 1 "$text"
		printf '%s\n' "$output" | sed 's/^/# /'
	fi
}

# found RULE WORDS OPTIONS...: among the first two, or the first $most
found() {
	rule=$1 words=$2 fair=0
	shift 2
	[ "$rule" != without_core ] || beside=1
	case $rule in without_core | pinning*) fair=1 ;; esac
	for chance in $chances; do
		run "$@" || { fair=1; continue; }
		taken "$rule" >"$work/planted.$(echo "$rule" | tr / .)"
		[ "$(sqlite3 run/tacho.db "select count(*) from (select *, row_number() over (order by n) as nth
			from finding where $beside) where $(named "$rule") and nth <= ${most:-2} and message like '%$words%'")" -gt 0 ] && return 0
		missed "$rule $*"
		starved || fair=1
		[ "$chance" -lt 3 ] || ! calm || break
	done
	[ $fair = 1 ] || return 77
	return 1
}

# besides CONDITION OPTIONS...: holds for a finding of the run at hand, or of another such run
besides() {
	condition=$1
	shift
	for chance in 1 2 3; do
		[ "$(counted "$condition")" -gt 0 ] && return 0
		missed "$condition $*"
		[ $chance = 3 ] || run "$@"
	done
	return 1
}

# none CONDITION OPTIONS...
none() {
	condition=$1
	shift
	for chance in $chances; do
		run "$@" || continue
		[ "$(counted "($condition) and $beside")" = 0 ] && return 0
		missed "not $condition $*"
		calm && break
	done
	return 1
}

# proven: the evidence of each finding gives rows.
proven() {
	sqlite3 -noheader run/tacho.db 'select evidence from finding' | while read -r sql; do
		[ -n "$(sqlite3 run/tacho.db "$sql")" ] || { echo "no row: $sql"; exit 1; }
	done
}

# without RULE RUN-ARGUMENTS...: the knob turned, or no such trouble; there may be others. Where other programs take
# cores and disk a little of it is the truth: a disturbed run passes with a quarter of the share of time that the
# trouble took where it was found just before.
without() {
	rule=$1 planted=$work/planted.$(echo "$1" | tr / .)
	shift
	for chance in $chances; do
		run "$@" || continue
		[ "$(counted "$(named "$rule")")" = 0 ] && return 0
		missed "without $rule $*"
		calm && break
		[ "$chance" -ge 3 ] && [ -s "$planted" ] && [ "$(sqlite3 :memory: \
			"select 4 * $(taken "$rule") < $(cat "$planted")")" = 1 ] && return 0
	done
	return 1
}
