# How many steps took how long; a block per phase, the largest in the background.
set xlabel "step time, ms"
set ylabel "steps"
set yrange [0:*]
set style fill transparent solid 0.62 noborder
plot for [i=0:blocks-1] data index i using 2:3:4 with boxes linecolor rgb colour(i) title columnheader(1)
