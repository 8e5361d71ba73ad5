# One bar per rank: waiting below, moving data above.
set style data histogram
set style histogram rowstacked
set style fill solid 1 noborder
set boxwidth rows > 40 ? 1 : rows < 5 ? 0.15 * rows : 0.72
set ylabel "seconds"
set xlabel "rank"
set xrange [-0.6:rows - 0.4]
set yrange [0:*]
every_nth = int(rows > 32 ? ceil(rows / 16.0) : 1)
array states[6] = ["#e39a80", "#d2522d", "#e39a80", "#d2522d", "#dcb75a", "#a06bc0"]
used = ""
do for [i=1:6] {
	stats data using (column(i + 1)) skip 1 nooutput
	if (STATS_sum > 0) { used = used . " " . i }
}
set xtics scale 0
plot for [i in used] data using (column(int(i) + 1)):xtic(int(column(1)) % every_nth == 0 ? stringcolumn(1) : "") \
	linecolor rgb states[int(i)] title columnheader(int(i) + 1)
