#!/bin/sh
# What deflate_pack() packs zlib unpacks, byte by byte; repeats become small.
. "$top_srcdir/tests/report_common.sh"
needs python3
plan 2

"$top_builddir/tests/unit/report_deflate" "$work"
check $? "texts of all kinds are packed"
grep -q "^#define HAVE_ZLIB 1" "$top_builddir/config.h" && built=with || built=without
python3 - "$work" $built <<'P'
import os, sys, zlib
names = sorted(n for n in os.listdir(sys.argv[1]) if not n.endswith(".packed"))
assert names == ["empty", "every_byte", "one", "random", "same"], names
for name in names:
    path = os.path.join(sys.argv[1], name)
    data, packed = open(path, "rb").read(), open(path + ".packed", "rb").read()
    unpacker = zlib.decompressobj(-15)
    assert unpacker.decompress(packed) == data and unpacker.eof and not unpacker.unused_data, name
    print(f"# {name}: {len(data)} bytes, packed {len(packed)}")
assert len(packed) < 3000 or sys.argv[2] == "without", len(packed)
P
check $? "and unpacked by zlib they are what they were"
