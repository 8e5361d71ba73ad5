# Band from the fastest to the slowest rank, and the median; a block per phase.
set xlabel "step"
set ylabel "step time, ms"
set yrange [0:*]
set autoscale xfix
set style fill transparent solid 0.28 noborder
plot for [i=0:blocks-1] data index i using 2:3:5 skip 1 with filledcurves linecolor rgb colour(i) notitle, \
	for [i=0:blocks-1] data index i using 2:4 with lines linewidth 1.6 linecolor rgb colour(i) title columnheader(1)
