#!/bin/sh
# What the stand-ins export is in the real libraries too, under the same symbol version.
. "$top_srcdir/tests/standin_common.sh"
need "$standin/cuda13/libcudart.so.13"
real=${CUDA_DIR:-/usr/local/cuda}/lib64

# symbols FILE: the exported ones with their versions.
symbols() {
	readelf --dyn-syms -W "$1" | awk '$7 != "UND" && $7 != "ABS" && ($4 == "FUNC" || $4 == "OBJECT") { print $8 }' |
		grep -v '^standin_\|^tacho_standin' | sort
}

for name in libcudart.so.13 libcupti.so.13 libcublas.so.13 stubs/libcuda.so; do
	own=$standin/cuda13/$(basename "$name")
	[ "$name" = stubs/libcuda.so ] && own=$standin/cuda13/libcuda.so.1
	if [ ! -e "$real/$name" ]; then
		number=$((number + 1))
		echo "ok $number # SKIP no $name to compare with"
		continue
	fi
	symbols "$own" > "$tmp/own"
	symbols "$real/$name" > "$tmp/real"
	comm -23 "$tmp/own" "$tmp/real" | sed 's/^/# not in the real one: /'
	[ -s "$tmp/own" ] && [ -z "$(comm -23 "$tmp/own" "$tmp/real")" ]
	ok $? "$(basename "$own") exports nothing that $name does not have"
done

for version in 12 13; do
	for library in "$standin/cuda$version"/*.so.*; do
		readelf -d "$library" | grep -q "SONAME.*\[$(basename "$library")\]" || echo "# $library"
	done > "$tmp/wrong"
	cat "$tmp/wrong"
	[ ! -s "$tmp/wrong" ]
	ok $? "every library of CUDA $version has its real name"
done

echo "1..$number"
