# A manual page for each command, out of its part of tacho.1, and the summary that its help begins with.
# -v folder=DIR -v version=VERSION; reads cmd_*.c, then tacho.1.

FNR == 1 { source = FILENAME }

source ~ /\.c$/ && /^\t\.name = "/ { split($0, part, "\""); name = part[2] }
source ~ /\.c$/ && /^\t\.summary =/ { open = 1 }
source ~ /\.c$/ && open && split($0, part, "\"") > 2 { summaries[name] = summaries[name] part[2] }
source ~ /\.c$/ && /,$/ { open = 0 }
source ~ /\.c$/ { next }

function page_end()
{
	if (!page)
		return
	print ".SH SEE ALSO\n.BR tacho (1)\nhas exit statuses, environment variables, files and examples," >page
	print ".BR tacho\\-db (5)\nthe tables of the database." >page
	close(page)
	page = ""
}

/^\.S[HS] / { page_end() }

# .SS "tacho record [\fIoptions\fP] [\-\-] \fICOMMAND\fP..."
/^\.SS "tacho / {
	synopsis = $0
	gsub(/^\.SS "|"$/, "", synopsis)
	split(synopsis, part, " ")
	name = part[2]
	rest = substr(synopsis, length("tacho " name) + 1)
	summary = tolower(substr(summaries[name], 1, 1)) substr(summaries[name], 2)
	page = folder "/tacho-" name ".1"
	upper = toupper(name)
	printf ".TH TACHO\\-%s 1 \"\" \"tacho %s\" \"User Commands\"\n", upper, version >page
	printf ".SH NAME\ntacho\\-%s \\- %s\n", name, summary >page
	printf ".SH SYNOPSIS\n\\fBtacho %s\\fR%s\n.SH DESCRIPTION\n", name, rest >page
	tagged = options = 0
	next
}

# The first paragraph of an option begins the part of all.
page && /^\.TP/ { tagged = 1; next }
page && tagged {
	if (!options && /^\.[A-Z]+ "?\\-/) {
		print ".SH OPTIONS" >page
		options = 1
	}
	print ".TP" >page
	tagged = 0
}
page { print >page }

END { page_end() }
