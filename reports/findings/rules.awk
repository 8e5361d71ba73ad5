# Makes the advisor's header: the tables that rules share, and the rules, as strings of C; a rule that reads what others
# found (`round`) stands after these. Reads noise.def and constants.def, then `part=PART NAME.sql...` of each part, then all
# NAME.rule. In a query :NAME is the value of the constant; another name than :run is an error. What the rules say of
# themselves becomes the table rule_key, which is written to the file `keys`, too.
function quoted(line)
{
	gsub(/[\\"]/, "\\\\&", line)
	return "\"" line "\\n\"\n"
}

# The line with the values of constants.
function valued(rest, done, name)
{
	while (match(rest, /[ \t(]:[a-z_]+/)) {
		name = substr(rest, RSTART + 2, RLENGTH - 2)
		if (name != "run" && !(name in value)) {
			print FILENAME ": no constant is called " name > "/dev/stderr"
			failed = 1
			exit 1
		}
		done = done substr(rest, 1, RSTART) (name == "run" ? ":run" : value[name])
		rest = substr(rest, RSTART + RLENGTH)
	}
	return done rest
}

# Of `KEY: text` or `KEY.VARIANT: text`, where the text is "VALUE DETAIL, VALUE...", a row for each value.
function key_put(key, text, n, i, at, all, name)
{
	split(substr(key, 1, length(key) - 1) ".", name, ".")
	n = split(text, all, ", ")
	for (i = 1; i <= n; i++) {
		at = index(all[i] " ", " ")
		key_sql = key_sql (key_sql ? ",\n" : "") "\t('" rule "', '" name[2] "', '" name[1] "', '" \
			substr(all[i], 1, at - 1) "', '" substr(all[i], at + 1) "')"
	}
}

FILENAME ~ /noise\.def$/ {
	if (match($0, /^NOISE\([a-z_]+, [^,]+/)) {
		split(substr($0, 7, RLENGTH - 6), pair, ", ")
		value[pair[1]] = pair[2]
	}
	next
}
FILENAME ~ /constants\.def$/ {
	if (NF && !/^#/)
		value[$1] = $2
	next
}
FNR == 1 && FILENAME ~ /\.sql$/ {
	if (part != open)
		printf "%sstatic const char *const finding_tables_%s[] = {\n", open ? ", NULL };\n" : "", part
	else
		print ","
	open = part
}
FILENAME ~ /\.sql$/ {
	printf "%s", quoted(valued($0))
	next
}
FNR == 1 {
	rule = FILENAME
	gsub(/.*\/|\.rule$/, "", rule)
	order[++n] = rule
	round[rule] = 1
	in_query = 0
}
!in_query && /^#/ {
	next
}
{
	text[rule] = text[rule] quoted(in_query ? valued($0) : $0)
	in_query = in_query || $0 == "query"
}
in_query {
	next
}
$1 == "round:" {
	round[rule] = $2
}
$1 == "asked:" && $2 == "last" {
	round[rule] = 9
}
/^(waited|during|apart|timeline|rows)(\.[a-z_]+)?:/ {
	key_put($1, substr($0, match($0, /\t[^\t]/) + 1))
}
END {
	if (failed)
		exit 1
	print ", NULL };"
	print "const struct finding_rule finding_rules[] = {"
	for (i = 1; i <= 9; i++)
		for (j = 1; j <= n; j++)
			if (round[order[j]] == i)
				printf "{ \"%s\",\n%s},\n", order[j], text[order[j]]
	print "{ 0 } };"
	sql = "create temp table rule_key(rule text, variant text, key text, value text, detail text);\n" \
		"insert into rule_key values\n" key_sql ";"
	print sql > keys
	print "const char finding_keys_sql[] ="
	n = split(sql, line, "\n")
	for (i = 1; i <= n; i++)
		printf "%s", quoted(line[i])
	print ";"
}
