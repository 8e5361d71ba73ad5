# Steps of base and new by their time, over each other; the first block is a band. Without one (runs of a step) it is left out.
set xlabel "time of a step, ms"
set ylabel "share of the steps, %"
set yrange [0:*]
set style fill transparent solid 0.55 noborder
band = rows > 0 && blocks > 2
plot for [i=0:blocks-1] data index i using 2:3:4 with boxes linecolor rgb (band && i == 0 ? "#b0b5bb" : colour(i - band)) title columnheader(1)
