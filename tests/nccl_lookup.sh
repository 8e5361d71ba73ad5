#!/bin/sh
# NCCL's functions are found as without the library: linked, loaded, looked up, two of them; and no
# other look-up changes.
. "$top_srcdir/tests/collector_common.sh"
echo 1..9
unit=$top_srcdir/tests/unit
cc="${CC:-cc} -shared -fPIC"

mkdir "$tmp/one" "$tmp/two"
$cc -DVERSION=21111 -Wl,-soname,libnccl.so.2 -o "$tmp/one/libnccl.so.2" "$unit/nccl_fake.c" &&
$cc -DVERSION=22222 -Wl,-soname,libnccl.so.2 -o "$tmp/two/libnccl.so.2" "$unit/nccl_fake.c" &&
$cc -o "$tmp/libuser1.so" "$unit/nccl_user.c" "$tmp/one/libnccl.so.2" -Wl,-rpath,"$tmp/one" &&
$cc -o "$tmp/libuser2.so" "$unit/nccl_user.c" "$tmp/two/libnccl.so.2" -Wl,-rpath,"$tmp/two" &&
$cc -DLOCAL_NAME=chain_local -DLOCAL_TEXT='"chain_local"' -o "$tmp/libchain1.so" "$unit/dlsym_chain.c" &&
$cc -DLOCAL_NAME=chain_other -DLOCAL_TEXT='"chain_other"' -o "$tmp/libchain2.so" "$unit/dlsym_chain.c" &&
${CC:-cc} -w -o "$tmp/lookup" "$unit/nccl_lookup.c" -Wl,--no-as-needed "$tmp/libchain2.so" -Wl,-rpath,"$tmp" \
	"$tmp/libchain1.so" -ldl &&
$cc -DLOCAL_NAME=chain_local2 -DLOCAL_TEXT='"chain_local2"' -o "$tmp/libchain3.so" "$unit/dlsym_chain.c"
ok "test programs are built" test $? = 0

look()
{
	"$@" "$tmp/lookup" "$tmp/one/libnccl.so.2" "$tmp/two/libnccl.so.2" "$tmp/libuser1.so" \
		"$tmp/libuser2.so" "$tmp/libchain3.so"
}

look env >"$tmp/plain"
look record "$tmp/run" >"$tmp/recorded"
ok "the bare program sees both NCCLs and the whole chain" \
	sh -c 'grep -q "versions 21111 and 22222" "$1" && grep -q "chain of 2" "$1"' - "$tmp/plain"
# By itself the other library refuses a communicator that is not its own; recorded, each goes to its maker.
sed -i 's/the other.s 5$/the other'\''s 0/' "$tmp/plain"
# A library's own name alone brings glibc to take the first for the second: as without us.
ok "look-ups and results are those of the bare program" diff "$tmp/plain" "$tmp/recorded"
ok "calls through looked-up functions are recorded" same "$(lines "$tmp/run" '^nccl .*ncclAllReduce')" 2
ok "each communicator is defined" same "$(lines "$tmp/run" '^nccl_comm ')" 2
ok "both libraries are named" same "$(lines "$tmp/run" '^property process.nccl_version')" 2
env LD_PRELOAD="$lib" timeout 60 "$tmp/lookup" "$tmp/one/libnccl.so.2" "$tmp/two/libnccl.so.2" \
	"$tmp/libuser1.so" "$tmp/libuser2.so" "$tmp/libchain3.so" >"$tmp/off"
sed 's/the other.s 0$/the other'\''s 5/' "$tmp/plain" >"$tmp/bare"
ok "without a recording nothing differs at all" diff "$tmp/bare" "$tmp/off"
ok "dlsym is reached by a jump: its caller is the loader's caller" \
	sh -c 'objdump -d --no-show-raw-insn "$1" 2>/dev/null | sed -n "/<dlsym>:/,/^$/p" | grep -q "jmp  *\*"' - "$lib"

${CC:-cc} -w -rdynamic -DVERSION=22222 -o "$tmp/within" "$unit/nccl_within.c" "$unit/nccl_fake.c" -ldl
"$tmp/within" >"$tmp/plain"
record "$tmp/within.run" "$tmp/within" >"$tmp/recorded"
ok "a program finds the NCCL that it has in itself" sh -c 'grep -q "versions 22222 and 22222" "$1" && diff "$1" "$2"' - \
	"$tmp/plain" "$tmp/recorded"
