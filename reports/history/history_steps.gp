# A point per run, and a line of the level between changes: it steps where the time changed.
@axis_of_runs
set ylabel "time of a step, ms"
set yrange [0:*]
set pointsize 0.7
plot data index 0 using 2:3 with points pointtype 7 linecolor rgb colour(0) title columnheader(1), \
	data index (blocks - 1) using 2:3 with lines linewidth 1.6 linecolor rgb colour(1) title columnheader(1)
