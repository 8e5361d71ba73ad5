# A line per name over the time of the run; the first on the left axis, the others on the right one.
set xlabel "time of the run, s"
set xrange [0:*]
set ytics nomirror
if (blocks > 1) {
	set y2tics
	set rmargin 10
	plot data index 0 using 2:3 skip 1 with lines linewidth 1.6 linecolor rgb colour(0) title columnheader(1), \
		for [i=1:blocks-1] data index i using 2:3 skip 1 axes x1y2 with lines linewidth 1.6 linecolor rgb colour(i) title columnheader(1)
} else {
	plot data index 0 using 2:3 skip 1 with lines linewidth 1.6 linecolor rgb colour(0) title columnheader(1)
}
