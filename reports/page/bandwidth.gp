# Points per operation and size class: the median, with a line up to the best one; and the best that the link gave at all.
set xlabel "size of the buffer"
set ylabel "bus bandwidth"
set logscale x 2
set logscale y
set format y "%.0s %cB/s"
set lmargin 12
set pointsize 0.9
set rmargin 5
stats data using 6 nooutput
best = STATS_max * 1e9
stats data using 2 nooutput
set xrange [STATS_min / 2:STATS_max * 2]
# "%B" of a format writes kiB, and blanks where there is no prefix
doublings = log(STATS_max / STATS_min) / log(2)
every = doublings > 12 ? 5 : doublings > 4 ? 2 : 1
set xtics ("1 B" 1)
do for [e=every:49:every] { set xtics add (sprintf("%d %s", 2**(e % 10), word("B KiB MiB GiB TiB", e / 10 + 1)) 2.0**e) }
plot best with lines linewidth 0.8 dashtype 2 linecolor rgb "#8a8f98" title "best in this run", \
	for [i=0:blocks-1] data index i using 2:($3*1e9):($3*1e9):($4*1e9) with yerrorbars pointtype 7 linewidth 1.2 linecolor rgb colour(i) title columnheader(1)
