# Rank × step as an image (one PNG inside the SVG), viridis.
set xlabel "step"
set ylabel "rank"
set cblabel "step time, ms"
set rmargin 12
set grid noytics
unset key
set border 0
set palette defined (0 "#440154", 0.25 "#3b528b", 0.5 "#21918c", 0.75 "#5ec962", 1 "#fde725")
stats data using 3 skip 1 nooutput
set cbrange [STATS_min:STATS_max > STATS_min ? STATS_max : STATS_min + 1]
stats data using 1 skip 1 name "rank" nooutput
set ytics (rank_max < 8 ? 1 : ceil((rank_max + 1) / 8.0))
set autoscale fix
plot data using 2:1:3 skip 1 with image
