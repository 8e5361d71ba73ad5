# Sourced: a Debian or Ubuntu root of debootstrap's in $root, kept for later calls. It needs root and a mirror.
for tool in debootstrap unshare chroot; do
	command -v $tool >/dev/null || { echo "$(basename "$0"): $tool is missing" >&2; exit 1; }
done
say() { printf '== %s\n' "$*"; }

# inside COMMAND: by a shell of the release, with /proc, /dev, /sys and the folders of $shown, which go away with it.
shown=
inside() {
	unshare --mount --fork sh -euc 'root=$1 command=$2; shift 2
		for each in /proc /dev /sys "$@"; do mkdir -p "$root$each"; mount --rbind "$each" "$root$each"; done
		exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -euc "$command"' - "$root" "$1" $shown
}

# root_make RELEASE: by $MIRROR, if that is set; keys of releases that are no longer supported are not everywhere ($NO_KEYS).
root_make() {
	[ ! -e "$root/etc/debian_version" ] || return 0
	say "$1"
	debootstrap ${NO_KEYS:+--no-check-gpg} --variant=minbase "$1" "$root" ${MIRROR:+"$MIRROR"} >"$root.log" 2>&1 || { tail "$root.log"; exit 1; }
}
