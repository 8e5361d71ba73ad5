#!/bin/sh
# Rows are made by the lists of columns in analyzer/tables/*.def: those of the schema, in its order, with its types.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
schema=$(cd "$top_builddir" && pwd)/analyzer/db/schema.sql
cd "$top_srcdir/analyzer" || exit 1
sqlite3 "$dir/db" <"$schema"
n=0

# result STATUS NAME: and why, which is in $dir/err
result() {
	n=$((n + 1))
	[ "$1" -eq 0 ] && echo "ok $n - $2" || { echo "not ok $n - $2"; sed 's/^/# /' "$dir/err"; }
}

# "TABLE NUMBER NAME TYPE" of each column, of the lists; an integer's type says whether it may be NULL.
awk -F '[(, ]+' 'FNR == 1 { table = FILENAME; gsub(/.*\/|\.def$/, "", table); n = 0 }
	/^#define/ && $2 != toupper(table) "_COLUMNS" { print table, "has the list", $2 }
	/^\tCOLUMN\(/ { type = $3; sub(/^[ra]$/, "i", type); sub(/^w$/, "s", type); print table, n++, $2, type }' \
	tables/*.def >"$dir/listed"

# The same by the schema. What may be NULL and never is may be i.
sqlite3 -separator ' ' "$dir/db" "select m.name, c.cid, c.name, case c.type when 'TEXT' then 's' when 'REAL' then 'd'
	when 'INTEGER' then case when c.\"notnull\" or c.pk then 'i' else 'n' end end
	from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'" >"$dir/schema"

awk 'FNR == NR { type[$1, $2, $3] = $4; many[$1]++; next }
	{ known = type[$1, $2, $3]; listed[$1]++
	  if (known == "") print $1 "." $3 " is not column " $2 + 1 " of the schema"
	  else if (known != $4 && !(known == "n" && $4 == "i")) print $1 "." $3 " is " $4 ", in the schema " known }
	END { for (t in listed) if (listed[t] != many[t]) print t " has " listed[t] " columns, in the schema " many[t] }' \
	"$dir/schema" "$dir/listed" >"$dir/err"
echo 1..4
[ -s "$dir/listed" ] && ! [ -s "$dir/err" ]
result $? "every list has the columns of the schema, in its order, with its types"

# meta is written by the schema itself, findings, causes and the account by statements of theirs
cut -d ' ' -f 1 "$dir/schema" | sort -u | grep -vxE 'meta|account|cause(_without)?|finding(_time|_overlap)?' >"$dir/tables"
cut -d ' ' -f 1 "$dir/listed" | sort -u | diff "$dir/tables" - >"$dir/err"
result $? "every table has a list"

# By hand rows go into temporary tables only.
grep -rnoE --include='*.c' '"insert [a-z ]*into [a-z_]+ (values|select)' . | awk 'FNR == NR { table[$1]; next }
	$(NF - 1) in table' "$dir/tables" - >"$dir/err"
[ ! -s "$dir/err" ]
result $? "no row is written by the number of its columns"

for list in tables/*.def; do
	name=$(basename "$list" .def)
	grep -rqE --include='*.c' "DB_TABLE\($name,|\"tables/$name\.def\"" . || echo "$list is used nowhere"
	grep -rqE --include='*.c' "$(echo "$name" | tr a-z A-Z)_COLUMNS\)" . || echo "$list makes no row"
done >"$dir/err"
[ ! -s "$dir/err" ]
result $? "every list makes rows"
