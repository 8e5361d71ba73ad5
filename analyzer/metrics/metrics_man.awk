# metrics_man.awk - metrics.def as a section of tacho-db(5), in place of its line METRICS:
# awk -f metrics_man.awk metrics.def tacho-db.5.in
function text(s) { gsub(/\\/, "\\e", s); gsub(/^[.']/, "\\\\\\&&", s); return s }
function unit(s) { return s == "1" ? "" : ", in " s }

FNR == NR && /^ *MODEL\(|^ *METRIC\(/ {
	line = $0
	sub(/^[^(]*\(/, "", line)
	n = split(line, quoted, "\"")
	split(quoted[1], words, /, */)
	if ($0 ~ /^MODEL/)
		section = section ".SS Model " words[1] "\n" text(quoted[2]) ".\n"
	else
		section = section ".TP\n.B " words[2] "\n" text(quoted[4]) unit(quoted[2]) \
			(quoted[6] == "" ? "" : ". NULL: " quoted[6]) ".\n"
	next
}
FNR == NR { next }
/^\.\\" METRICS/ {
	print ".SH METRICS"
	print "Figures of a window of length T. O is a rank's time outside of MPI and gloo (useful + io + cuda + wait +"
	print "omp_idle of its main thread); U the time in which a device computes, C that in which only NCCL runs on it,"
	print "M that in which only copies do, I the rest; G the number of devices. avg, max and sum are over ranks, or devices."
	printf "%s", section
	next
}
{ print }
