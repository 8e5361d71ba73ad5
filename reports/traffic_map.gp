# From × to as an image (one PNG inside the SVG), viridis.
again = "refresh"	# its data are not read twice
set xlabel "to rank"
set ylabel "from rank"
set cblabel "MB"
set rmargin 12
set grid noytics
unset key
set border 0
set palette defined (0 "#440154", 0.25 "#3b528b", 0.5 "#21918c", 0.75 "#5ec962", 1 "#fde725")
stats data using 1 skip 1 name "rank" nooutput
every = rank_max < 8 ? 1 : ceil((rank_max + 1) / 8.0)
set xtics every
set ytics every
set cbrange [0:*]
set autoscale fix
set size ratio -1
plot data using 2:1:3 skip 1 with image
