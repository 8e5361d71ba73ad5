# Rank × step as an image (one PNG inside the SVG), viridis.
again = "refresh"	# its data are not read twice
set datafile missing	# NaN is a pixel left out, not a line: an image has all its pixels
set xlabel "step"
set ylabel "rank"
set cblabel "÷ median of the phase"
set rmargin 12
set grid noytics
unset key
set border 0
set palette defined (0 "#440154", 0.25 "#3b528b", 0.5 "#21918c", 0.75 "#5ec962", 1 "#fde725")
stats data using 4 skip 1 nooutput
low = STATS_mean - 4 * STATS_stddev
high = STATS_mean + 4 * STATS_stddev
low = low > STATS_min ? low : STATS_min
high = high < STATS_max ? high : STATS_max
set cbrange [low:high > low ? high : low + 1]
stats data using 1 skip 1 name "rank" nooutput
ystep = rank_max < 8 ? 1 : ceil((rank_max + 1) / 8.0)
set ytics ystep
set autoscale fix
plot data using 2:1:4 skip 1 with image
