# A line with points per configuration, thin what it would be if it had scaled, and bars from the least to the most of its repetitions.
set xlabel "ranks or GPUs"
set ylabel "samples/s"
set yrange [0:*]
set xrange [0:*]
set pointsize 0.8
stats data using 2 nooutput
if (STATS_max <= 16) { set xtics 1 }
plot for [i=0:blocks-1] data index i using 2:4 with lines linewidth 0.6 dashtype 2 linecolor rgb colour(i) notitle, \
	for [i=0:blocks-1] data index i using 2:3:5:6 with yerrorbars pointtype 0 linewidth 1 linecolor rgb colour(i) notitle, \
	for [i=0:blocks-1] data index i using 2:3 with linespoints pointtype 7 linewidth 1.6 linecolor rgb colour(i) title columnheader(1)
