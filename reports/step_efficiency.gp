# Rank × step as an image (one PNG inside the SVG): dark is waiting.
again = "refresh"	# its data are not read twice
set datafile missing	# NaN is a pixel left out, not a line: an image has all its pixels
set xlabel "step"
set ylabel "rank"
set cblabel "share not waiting"
set rmargin 12
set grid noytics
unset key
set border 0
set palette defined (0 "#7a0403", 0.3 "#d9603b", 0.6 "#f1c45c", 1 "#2a9d6f")
set cbrange [0:1]
stats data using 1 skip 1 name "rank" nooutput
ystep = rank_max < 8 ? 1 : ceil((rank_max + 1) / 8.0)
set ytics ystep
set autoscale fix
plot data using 2:1:3 skip 1 with image
