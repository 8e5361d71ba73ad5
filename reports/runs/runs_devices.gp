# A bar per run, stacked by state.
set style data histogram
set style histogram rowstacked
set style fill solid 1 noborder
set boxwidth rows < 5 ? 0.13 * rows : 0.6
set ylabel "seconds"
set xrange [-0.6:rows - 0.4]
set yrange [0:*]
set xtics scale 0
if (rows > 6) { set xtics rotate by -20 left; set bmargin 4 }
array states[9] = ["#8fdcb4", "#d2522d", "#e39a80", "#9c7a52", "#6aa5e3", "#a3a13a", "#55929f", "#c4577e", "#8a8f98"]
used = ""
do for [i=1:9] {
	stats data using (column(i + 1)) skip 1 nooutput
	if (STATS_sum > 0) { used = used . " " . i }
}
plot for [i in used] data using (column(int(i) + 1)):xtic(1) linecolor rgb states[int(i)] title columnheader(int(i) + 1)
