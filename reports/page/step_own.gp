# A point per rank and step, side by side where they are dense; stragglers in a colour of their own, with their names.
set xlabel "rank"
set ylabel "own time of a step, ms"
set yrange [0:*]
set offsets 0, 0, graph 0.12, 0
stats data index 4 using 2:4 skip 1 name "all" nooutput
set xrange [-0.7:all_max_x + 0.7]
set style line 1 linecolor rgb "#8a8f98" linewidth 1 dashtype 2
plot all_mean_y with lines linestyle 1 title "median of all ranks", \
	data index 0 using 2:4 skip 1 with points pointtype 7 pointsize 0.3 linecolor rgb "#3f86d0" title "a step of a rank", \
	data index 1 using 2:4 skip 1 with points pointtype 7 pointsize 0.3 linecolor rgb c_mpi title "of a straggler", \
	data index 2 using 2:4:5 skip 1 with labels offset 0,0.9 notitle, \
	data index 3 using 2:(NaN):xticlabels(5) skip 1 notitle
