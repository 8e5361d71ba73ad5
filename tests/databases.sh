# databases.sh - what holds in every database (identities.sql, promises.sql) holds in each that a test makes. Sourced.

# database_held FILE LIST: looks once at a database, and writes what does not hold in it to LIST.broken
database_held() {
	[ -s "$1" ] && key=$(stat -c '%i %y %s' "$1") || return 0
	! grep -qxF "$key" "$2" 2>/dev/null || return 0
	echo "$key" >>"$2"
	cat "$top_srcdir/tests/identities.sql" "$top_srcdir/tests/promises.sql" | sqlite3 -readonly "$1" 2>&1 |
		sed "s|^|$1: |" >>"$2.broken"
}

# first_held FILE: looks at a database of an archive that is there before it is asked, or changed, for the first time;
# what does not hold goes to $held/broken. $sqlite is the program itself. A test that makes databases out of changed
# ones exports ALTERED.
first_held() {
	[ -z "${ALTERED:-}" ] && [ -f "$1" ] && [ -s "$1" ] && key=$(stat -c '%i.%W' "$1") && [ ! -e "$held/$key" ] || return 0
	: >"$held/$key"
	archive=$("$sqlite" -readonly "$1" 'select path from run group by 1 = 1 having count(*) = 1' 2>/dev/null)
	[ -f "$archive" ] || return 0
	: >"$held/looked.$key"
	cat "$top_srcdir/tests/identities.sql" "$top_srcdir/tests/promises.sql" | "$sqlite" -readonly "$1" 2>&1 |
		sed "s|^|$1: |" >>"$held/broken"
}

# databases_hold FOLDER LIST: all below the folder, and those that were looked at before, hold
databases_hold() {
	find "$1" -name tacho.db -type f >"$2.found"
	while read -r file; do database_held "$file" "$2"; done <"$2.found"
	[ ! -s "$2.broken" ] || { sed "s/^/# /" "$2.broken" | head -n 20; return 1; }
}
