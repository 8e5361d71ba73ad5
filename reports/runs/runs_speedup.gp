# A line with points per configuration; thin the ideal.
set xlabel "ranks or GPUs"
set ylabel "speed-up"
set yrange [0:*]
set xrange [0:*]
set pointsize 0.8
stats data using 2 nooutput
if (STATS_max <= 16) { set xtics 1 }
plot x with lines linewidth 0.6 dashtype 2 linecolor rgb "#8a8f98" notitle, \
	for [i=0:blocks-1] data index i using 2:3 with linespoints pointtype 7 linewidth 1.6 linecolor rgb colour(i) title columnheader(1)
