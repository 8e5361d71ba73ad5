# Makes the tables of cmd_stats.c out of stats.sql: an array stats_tables[] and one info_tables[].
function quoted(text) {
	gsub(/[\\"]/, "\\\\&", text)
	return "\"" text "\""
}

function array_end() {
	if (command)
		print "\t{ 0 }\n};"
}

/^-- (stats|info) [a-z]+(, asked)?: / {
	if ($2 != command) {
		array_end()
		command = $2
		print "static const struct stats_table " command "_tables[] = {"
	}
	name = $3
	asked = sub(/,$/, "", name) ? "true" : "false"
	sub(/:$/, "", name)
	less = ""
	title = $0
	sub(/^[^:]*: /, "", title)
	print "\t{ " quoted(name) ", " quoted(title) ", " asked ","
	next
}

/^-- less: / {
	less = substr($0, 10)
	next
}

/^--/ || !command { next }

NF {
	last = sub(/;$/, "")
	print "\t\t" quoted($0 "") (last ? ", " (less ? quoted(less) : "NULL") " }," : " \"\\n\"")
}

END { array_end() }
