# A row per rank and GPU. One image (a PNG in the SVG); every bin is filled with its states from top to bottom.
again = "refresh"	# its data are not read twice
stats data index 2 using 4 skip 1 nooutput
nused = STATS_records
array used[nused]
n = 0
stats data index 2 using (valid(4) ? (n = n + 1, used[n] = int($4), 1) : NaN) skip 1 nooutput
top = 14 + 19.0 * ceil(nused / 4.0)	# pixels for the key
set key at screen 0.5, screen 1 - 2.0/height center top horizontal width 0.5 maxcols 4
stats data index 0 using (row_width(stringcolumn(5))) skip 1 nooutput
set margins screen STATS_max/900, screen 1 - 14.0/900, screen 54.0/height, screen 1 - top/height
set xlabel "seconds since the start"
set border 1
set grid noytics
stats data index 0 using 3 skip 1 nooutput
ymax = STATS_max
stats data index 0 using 2 skip 1 nooutput
xmax = STATS_max
every_nth = ceil((ymax + 1) / 40.0)
unset ytics
set xrange [0:xmax]
row(pixels) = (ymax + 1) * pixels / (height - 78 - top)
set yrange [ymax + 0.5:-0.5 - row(24)]
# phases above: a line from the first rank's start to the last one's end, and the name where there is room
phase_y = -0.5 - row(6)
plot data index 3 using 2:3:(state_part($4, 16)):(state_part($4, 8)):(state_part($4, 0)):($4 == 20 ? 0 : $4 > 10 && $4 < 20 ? 120 : 255) skip 1 with rgbalpha notitle, \
	data index 1 using 2:(phase_y):($3 - $2):(0) skip 1 with vectors heads size screen 0.002,90 linecolor rgb "#8a8f98" linewidth 1 notitle, \
	data index 1 using (($2 + $3) / 2):(phase_y):($3 - $2 > 0.07 * xmax ? stringcolumn(5) : "") skip 1 with labels offset 0,0.6 notitle, \
	data index 0 using (0):(valid(3) && int($3) % int(every_nth) == 0 ? $3 : NaN):5 skip 1 with labels right offset -0.8,0 notitle, \
	for [i=1:nused] keyentry with boxes fillstyle solid 1 noborder linecolor rgb state_rgb(used[i]) title state_names[used[i]]
