# A row per rank, a column per CPU; one image. Lines are borders of NUMA nodes.
array cells[4] = [0x8a8f98, 0x2a9d6f, 0xd29a1c, 0xd9603b]
part(i, bits) = (cells[int(i) + 1] >> bits) & 255
set key at screen 0.5, screen 1 - 2.0/height center top horizontal width 0.5 maxcols 4
set margins screen 92.0/900, screen 1 - 14.0/900, screen 54.0/height, screen 1 - 52.0/height
set xlabel "CPU"
set border 1
set grid noytics
unset ytics
stats data index 0 using 3 skip 1 nooutput
ymax = STATS_max
stats data index 0 using 2 skip 1 nooutput
xmax = STATS_max
every_nth = int(ceil((ymax + 1) / 40.0))
set xrange [-0.5:xmax + 0.5]
set yrange [ymax + 0.5:-0.5]
if (xmax < 32) { set xtics 1 }
plot data index 2 using 2:3:(part($4, 16)):(part($4, 8)):(part($4, 0)):($4 == 0 ? 40 : 255) skip 1 with rgbalpha notitle, \
	data index 1 using ($2 - 0.5):(-0.5):(0):(ymax + 1) skip 1 with vectors nohead linetype black linewidth 1 notitle, \
	data index 1 using ($2 - 0.3):(-0.5):5 skip 1 with labels left offset 0,0.5 notitle, \
	data index 0 using (-0.5):(valid(3) && int($3) % every_nth == 0 ? $3 : NaN):5 skip 1 with labels right offset -0.8,0 notitle, \
	keyentry with boxes fillstyle solid 1 noborder linecolor rgb "#2a9d6f" title "its own", \
	keyentry with boxes fillstyle solid 1 noborder linecolor rgb "#d29a1c" title "shared with other ranks", \
	keyentry with boxes fillstyle solid 1 noborder linecolor rgb "#d9603b" title "far from its GPU"
