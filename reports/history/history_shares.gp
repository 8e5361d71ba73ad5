# A line per efficiency.
@axis_of_runs
set ylabel "share"
set yrange [0:1.05]
set pointsize 0.6
plot for [i=0:blocks-1] data index i using 2:3 with linespoints pointtype 7 linewidth 1.4 linecolor rgb colour(i) title columnheader(1)
