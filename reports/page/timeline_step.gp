# A row per thread and stream; thick lines are intervals, a block per state. On them last arrivals of collectives, messages
# and the critical path.
top = 14 + 19.0 * ceil((blocks - 3) / 4.0)	# pixels for the key
set key at screen 0.5, screen 1 - 2.0/height center top horizontal width 0.5 maxcols 4
b_rows = blocks - 4; b_collectives = blocks - 3; b_messages = blocks - 2; b_path = blocks - 1
stats data index b_rows using (row_width(stringcolumn(6))) skip 1 nooutput
set margins screen STATS_max/900, screen 1 - 14.0/900, screen 54.0/height, screen 1 - top/height
set border 1
set grid noytics
stats data index b_rows using 5 skip 1 nooutput
ymax = STATS_max
stats data index b_rows using 3 skip 1 nooutput
every_nth = ceil(STATS_records / 40.0)
stats data index b_rows using 4 skip 1 nooutput
xmax = STATS_max
f = xmax < 2 ? 1000 : 1
set xlabel (f == 1 ? "ms" : "µs") . " since the start of the step"
array number[blocks]
do for [i=0:b_rows-1] { stats data index i using 5 skip 1 nooutput; number[i + 1] = int(STATS_max) }
set xrange [0:xmax * f]
set yrange [ymax + 0.7:-0.7]
unset ytics
thick = (height - 54 - top) / (ymax + 1.4) * 0.82
plot for [i=0:b_rows-1] data index i using ($2 * f):3:($4 * f):(0) skip 1 with vectors nohead linewidth thick linecolor rgb state_rgb(number[i + 1]) notitle, \
	data index b_collectives using ($2 * f):3:($4 * f):5 skip 1 with vectors nohead linetype black linewidth 0.7 dashtype 3 notitle, \
	data index b_messages using ($2 * f):3:($4 * f):5 skip 1 with vectors nohead linetype black linewidth 0.6 notitle, \
	data index b_path using ($2 * f):3 skip 1 with lines linewidth 4 linecolor rgb "#ffffff" notitle, \
	data index b_path using ($2 * f):3 skip 1 with lines linetype black linewidth 2.2 notitle, \
	data index b_rows using (0):(valid(2) && int($2) % int(every_nth) == 0 ? $3 : NaN):6 skip 1 with labels right offset -0.8,0 notitle, \
	for [i=0:b_rows-1] keyentry with boxes fillstyle solid 1 noborder linecolor rgb state_rgb(number[i + 1]) title state_names[number[i + 1]], \
	keyentry with lines linetype black linewidth 2.2 title "critical path"
