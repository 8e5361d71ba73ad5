# One bar per GPU, stacked by state; a state that no GPU was in gets no key.
set style data histogram
set style histogram rowstacked
set style fill solid 1 noborder
set boxwidth rows > 40 ? 1 : rows < 5 ? 0.15 * rows : 0.72
set ylabel "seconds"
set xlabel "GPU, as rank:number"
set xrange [-0.6:rows - 0.4]
set yrange [0:*]
set key maxrows 3
every_nth = int(rows > 32 ? ceil(rows / 16.0) : 1)
used = ""
do for [i=7:20] {
	stats data using (column(i - 5)) skip 1 nooutput
	if (STATS_sum > 0) { used = used . " " . i }
}
set xtics scale 0
plot for [i in used] data using (column(int(i) - 5)):xtic(int(column(0)) % every_nth == 0 ? stringcolumn(1) : "") \
	linecolor rgb state_rgb(int(i)) title columnheader(int(i) - 5)
