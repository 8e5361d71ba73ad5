#!/bin/sh
# The packages of other systems: of this version, of all that is installed, readable by their own tools where these are there.
. "$top_srcdir/tests/e2e/lib.sh"
packaging=$(cd "$top_srcdir/packaging" && pwd)
version=$(sed -n 's/^AC_INIT(\[tacho\], \[\(.*\)\])/\1/p' "$top_srcdir/configure.ac")

versions() {
	same "$(sed -n '1s/.*(\(.*\)-1).*/\1/p' "$packaging/debian/changelog") $(sed -n 's/^Version: *//p' "$packaging/tacho.spec") $(
		sed -n 's/^    version("\(.*\)")/\1/p' "$packaging/spack/package.py")" "$version $version $version"
}
check "they have the version of configure" versions

# left_out LIST…: what is installed and matches none of the patterns.
left_out() {
	(cd inst && find . -type f -o -type l) | sed 's|^\./||' | grep -v '\.la$' | grep -vE "$1"
}
debian_has_all() {
	patterns=$(cat "$packaging"/debian/*.install | sed 's|[.]|\\.|g; s|\*|[^/]*|g; s|^|^|; s|$|(/.*)?$|' | paste -sd '|')
	left=$(left_out "$patterns|trainer-cuda")
	[ -n "$version" ] && [ -s inst/usr/bin/tacho ] && [ -z "$left" ] || { echo "in no package: $left"; return 1; }
}
rpm_has_all() {
	patterns=$(sed -n '/^%files/,/^%changelog/p' "$packaging/tacho.spec" | grep '^%[{d]' | sed 's|^%doc ||; s|%{_pkgdocdir}|usr/share/doc/tacho|
		s|%{_bindir}|usr/bin|; s|%{_includedir}|usr/include|; s|%{_libdir}|usr/lib/[^/]*|; s|%{_datadir}|usr/share|; s|%{_mandir}|usr/share/man|
		s|[.]|\\.|g; s|\([a-z0-9]\)\*|\1.*|g; s|^|^|; s|/*$|(/.*)?$|' | paste -sd '|')
	left=$(left_out "$patterns|libexec|tacho-mpi")
	[ -z "$left" ] || { echo "in no part of the package: $left"; return 1; }
}
# Each page of docs/, each example but what builds the source, and completions that name every command.
readers_have_all() {
	doc=inst/usr/share/doc/tacho share=inst/usr/share
	for page in "$top_srcdir"/docs/*.md; do
		cmp -s "$page" "$doc/${page##*/}" || { echo "not installed: $page"; return 1; }
	done
	for example in $(cd "$top_srcdir" && find examples -type f ! -path 'examples/trainer*' ! -name quickstart ! -name which-gpus ! -name '*.mk'); do
		cmp -s "$top_srcdir/$example" "$doc/$example" || { echo "not installed: $example"; return 1; }
		[ ! -x "$top_srcdir/$example" ] || [ -x "$doc/$example" ] || { echo "cannot be executed: $example"; return 1; }
	done
	for file in bash-completion/completions/tacho zsh/vendor-completions/_tacho fish/vendor_completions.d/tacho.fish; do
		for command in $(sed -n 's/^const struct command command_\([a-z]*\) =.*/\1/p' "$top_srcdir"/analyzer/cli/cmd_*.c); do
			grep -qw "$command" "$share/$file" || { echo "$file has no $command"; return 1; }
		done
	done
}
# debhelper takes changelog, changes or history in docs/ for the changelog unless it is given one.
debian_keeps_all() {
	taken=$(find "$top_srcdir/docs" "$top_srcdir" -maxdepth 1 | grep -iE '/(changelog|changes|history)(\.md|\.txt)?$')
	[ -z "$taken" ] || grep -q 'dh_installchangelogs NEWS$' "$packaging/debian/rules" || { echo "becomes the changelog: $taken"; return 1; }
	grep -qx 'usr/libexec/tacho/tacho-trainer' "$packaging/debian/tacho-mpi.install" && { [ ! -e "$top_builddir/examples/trainer/tacho-trainer" ] || [ -x inst/usr/libexec/tacho/tacho-trainer ]; }
}
# libtool takes no folder with a blank in its name, as this test's has
place=$(mktemp -d) || exit 99
unset MAKEFLAGS MFLAGS MAKELEVEL
if make -C "$top_builddir" install prefix=/usr libdir=/usr/lib/some libexecdir=/usr/libexec DESTDIR="$place" >log 2>&1; then
	mv "$place" inst
	check "what is installed is in one of Debian's packages" debian_has_all
	check "and in the RPM, which has no trainer" rpm_has_all
	check "pages, examples and the completions of three shells are installed" readers_have_all
	check "Debian packages hold the trainer, and no page becomes the changelog" debian_keeps_all
else
	ok 1 "it is installed into a folder of its own"
	sed 's/^/# /' log | tail -n 20
	rm -rf "$place"
fi
if command -v rpmspec >/dev/null; then
	check "rpmspec reads the spec" sh -c '[ "$(rpmspec -q --srpm --qf "%{name}" "$1" 2>&1)" = tacho ]' - "$packaging/tacho.spec"
else
	ok 0 "rpmspec reads the spec # SKIP rpmspec is not installed"
fi
check "the Spack recipe can be evaluated, and configure has the options that it gives" python3 "$top_srcdir/tests/spack_recipe.py" "$packaging/spack/package.py" "$top_srcdir/configure.ac"
# Names of Debian's packages in the images are those that tests/setup installs, or their run-time parts.
known_packages() {
	for package in $(sed -n '/^RUN apt-get update/,/rm -rf/p; /apt-get install/,/gnuplot/p' "$packaging/Containerfile" "$packaging/tacho.def" |
		grep -oE '[a-z0-9.+-]+-dev' | sort -u); do
		grep -q "[| ]$package[| ]" "$top_srcdir/tests/setup" || { echo "$package"; return 1; }
		grep -q "$package" "$packaging/debian/control" || { echo "$package is not in debian/control"; return 1; }
	done
}
check "they are built from the same parts" known_packages
plan
