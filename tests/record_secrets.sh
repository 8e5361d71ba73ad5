#!/bin/sh
# No secret of a command line or a variable is kept anywhere in a run; --no-command keeps no command.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
cd "$tmp" || exit 1
echo 1..4

run_with()
{
	run=$1
	shift
	NCCL_HOST=https://me:Sekret1@host/ "$tacho" -q record --all --keep-spools -o "$run" "$@" -- \
		sh -c '"$@"; exit 0' sh cat /dev/null --token Sekret2 --wandb-key=Sekret3 \
		http://Sekret4@host/ hf_Sekret5abcd -p Sekret6 "Authorization: Bearer Sekret7" \
		-p8080 -pSekret8x sshpass -pSekret9 '{"password":["Sekret10", "Sekret11"]}' me:Sekret12@host \
		plain-word >"$tmp/said" 2>&1
}

run_with run
ok "no file of the run holds a secret" same "$(grep -rl Sekret run)" ""
ok "what is none is kept" grep -q -- '-p8080 .*plain-word' run/run.properties
ok "masks do not show a length" grep -q 'cat /dev/null --token \*\*\* --wandb-key=\*\*\* http://\*\*\*@host/ \*\*\* -p \*\*\*' run/run.properties
run_with bare --no-command
ok "--no-command keeps no command" same "$(grep -rl 'plain-word' bare)" ""
