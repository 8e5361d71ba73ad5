# A line per node and direction.
set xlabel "seconds since the start"
set ylabel "Gb/s"
set yrange [0:0.01<*]
set autoscale xfix
plot for [i=0:blocks-1] data index i using 2:3 with steps linewidth 1.4 linecolor rgb colour(i) title columnheader(1)
