# Puts the values of constants where a query names them by :NAME, and writes it as a string of C. Reads noise.def and
# constants.def first. A name that is neither there nor :run is an error.
FILENAME ~ /noise\.def$/ {
	if (match($0, /^NOISE\([a-z_]+, [^,]+/)) {
		split(substr($0, 7, RLENGTH - 6), part, ", ")
		value[part[1]] = part[2]
	}
	next
}
FILENAME ~ /constants\.def$/ {
	if (NF && !/^#/)
		value[$1] = $2
	next
}
{
	done = ""
	rest = $0
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
	line = done rest
	gsub(/[\\"]/, "\\\\&", line)
	print "\"" line "\\n\""
}
END {
	exit failed
}
