#!/bin/sh
# Every function of nccl.h is in nccl_calls.def, with the parameters that the header has; the
# library's assumptions about NCCL's types are the header's.
. "$top_srcdir/tests/collector_common.sh"
echo 1..4
header=$(for dir in ${NCCL_DIR:+"$NCCL_DIR/include"} /usr/include /usr/local/include "${CUDA_HOME:-/usr/local/cuda}/include"; do
	test -r "$dir/nccl.h" && echo "$dir/nccl.h" && break
done)
table=$top_srcdir/include/tacho/nccl_calls.def
sed -n 's/^CALL(\(nccl[A-Za-z]*\),.*/\1/p' "$table" | LC_ALL=C sort >"$tmp/wrapped"
nm -D --defined-only "$lib" | sed -n 's/.* [TW] \(nccl.*\)/\1/p' | LC_ALL=C sort >"$tmp/exported"
ok "the library exports exactly the functions of the table" diff "$tmp/wrapped" "$tmp/exported"

cuda=$(dirname "${header:-/usr/local/cuda/include/nccl.h}")
if [ -z "$header" ] || ! echo '#include <nccl.h>' | ${CC:-cc} -I"$cuda" -I/usr/local/cuda/include -E -P -x c - >"$tmp/header" 2>/dev/null; then
	for what in "every function of nccl.h is wrapped" "parameters are those of nccl.h" "types are those of nccl.h"; do
		skip "$what" "no nccl.h"
	done
	exit
fi
# ncclResetDebugInit is deprecated and only reads variables again.
tr -s ' \n\t' ' ' <"$tmp/header" | grep -o '\bnccl[A-Z][A-Za-z]* *(' | tr -d ' (' |
	grep -v ResetDebugInit | LC_ALL=C sort -u >"$tmp/declared"
LC_ALL=C comm -23 "$tmp/declared" "$tmp/wrapped" >"$tmp/forgotten"
ok "every function of nccl.h is wrapped" \
	sh -c 'test "$(wc -l <"$1")" -gt 30 && ! test -s "$2" || { cat "$2"; false; }' - "$tmp/declared" "$tmp/forgotten"

# Only what this header has can be compared; the newer ones of the table are left out.
LC_ALL=C comm -12 "$tmp/declared" "$tmp/wrapped" >"$tmp/known"
awk -v known="$(tr '\n' ' ' <"$tmp/known")" '
	BEGIN { n = split(known, list, " "); for (i = 1; i <= n; i++) is[list[i]] = 1 }
	/^CALL\(/ { name = $0; sub(/^CALL\(/, "", name); sub(/,.*/, "", name); keep = name in is }
	keep' "$table" | sed 's/struct nccl_id/ncclUniqueId/g' >"$tmp/known_calls.def"
# Implicit conversions between handles and void pointers are what the wrappers do as well.
${CC:-cc} -std=gnu11 -I"$tmp" -isystem "$cuda" -isystem /usr/local/cuda/include -Werror=int-conversion \
	-Werror=implicit-function-declaration -c -o "$tmp/check.o" "$top_srcdir/tests/nccl_abi_check.c" >"$tmp/log" 2>&1
ok "parameters are those of nccl.h" sh -c 'test -r "$1" || { cat "$2"; false; }' - "$tmp/check.o" "$tmp/log"
sed 's/^CHECK(sizeof(ncclUniqueId) == 128)/CHECK(sizeof(ncclUniqueId) == 127)/' "$top_srcdir/tests/nccl_abi_check.c" >"$tmp/wrong.c"
ok "a difference would be noticed" sh -c '! "$@" 2>/dev/null' - ${CC:-cc} -std=gnu11 -I"$tmp" -isystem "$cuda" \
	-isystem /usr/local/cuda/include -c -o "$tmp/wrong.o" "$tmp/wrong.c"
