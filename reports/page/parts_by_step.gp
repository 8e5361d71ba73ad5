# Parts of a step on top of each other. The titles in the first row of the data are taken by columnheader().
set xlabel "step"
set ylabel "ms of a step"
set yrange [0:*]
set autoscale xfix
set style fill solid 0.85 noborder
set key maxrows 1 samplen 0.8
array of_part[7] = ["#3f86d0", "#3fb0bd", "#2a9d6f", "#d9603b", "#a06bc0", "#c4577e", "#8a8f98"]
plot for [i=7:1:-1] data using 1:(sum [k=2:i+1] column(k)):(sum [k=2:i] column(k)) \
	with filledcurves linecolor rgb of_part[i] title columnheader(i + 1)
