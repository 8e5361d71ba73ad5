# What all plots share. Text and axes are black, which the report turns into
# the colour of its text; series have colours that work on light and on dark.
set datafile separator tab
set datafile missing "NaN"
set border 3 linewidth 0.6
set tics nomirror out scale 0.4
set grid ytics linetype 1 linecolor rgb "#8a8f98" linewidth 0.25
set key above left Left reverse samplen 1.2 spacing 1.1 width 1
set lmargin 10
set rmargin 2
c_useful = "#8fdcb4"; c_io = "#6aa5e3"; c_mpi = "#d2522d"; c_cuda = "#a06bc0"
c_wait = "#d29a1c"; c_omp = "#3fb0bd"; c_absent = "#8a8f98"
again = "replot"	# how the PNG is drawn after the SVG
array palette_colours[8] = ["#3f86d0", "#d9603b", "#2a9d6f", "#d29a1c", "#a06bc0", "#3fb0bd", "#c4577e", "#8a8f98"]
colour(i) = palette_colours[1 + i % 8]
do for [i=1:8] { set linetype i linecolor rgb palette_colours[i] linewidth 1.6 }
set xtics offset 0,0.3
set xlabel offset 0,0.5
# States of threads and of devices by number, as timeline.sql and timeline_step.sql have them; 20 is not recorded (absent).
array state_names[23] = ["useful", "I/O", "MPI", "CUDA calls", "wait", "OpenMP idle", "compute", "NCCL", "NCCL wait", "copies", \
	"idle: I/O", "idle: MPI", "idle: checkpoint", "idle: host", "idle: CUDA calls", "idle: wait", "idle: launch", "idle: dependency", \
	"idle: unknown", "absent", "gloo", "MPI wait", "gloo wait"]
array state_colours[23] = [0x8fdcb4, 0x6aa5e3, 0xd2522d, 0xa06bc0, 0xd29a1c, 0x3fb0bd, 0x8fdcb4, 0xd2522d, 0xe39a80, 0x9c7a52, \
	0x6aa5e3, 0xc4577e, 0x8f8fe0, 0xa3a13a, 0xb98fd2, 0xdcb75a, 0x55929f, 0x7fc6cf, 0xb0b5bb, 0x8a8f98, 0xd2522d, 0xe39a80, 0xe39a80]
state_rgb(i) = sprintf("#%06x", state_colours[i])
row_width(name) = 7.2 * strlen(name) + 22 > 112 ? 7.2 * strlen(name) + 22 : 112	# pixels for the name of a row of a timeline
state_part(i, bits) = (state_colours[int(i)] >> bits) & 255
# Runs by number, each with its own tick where there are few.
axis_of_runs = 'set xlabel "run"; stats data using 2 name "run" nooutput; set xrange [0.5:run_max + 0.5]; ' . \
	'every = run_max < 16 ? 1 : ceil(run_max / 10.0); set xtics every'
# Rates: a line per node and direction.
plot_rates = 'set xlabel "seconds since the start"; set ylabel "Gb/s"; set yrange [0:0.01<*]; set autoscale xfix; ' . \
	'plot for [i=0:blocks-1] data index i using 2:3 with steps linewidth 1.4 linecolor rgb colour(i) title columnheader(1)'
# From × to as an image (one PNG inside the SVG), viridis; its data are not read twice.
plot_traffic = 'again = "refresh"; set xlabel "to rank"; set ylabel "from rank"; set cblabel "MB"; set rmargin 12; set grid noytics; ' . \
	'unset key; set border 0; ' . \
	'set palette defined (0 "#440154", 0.25 "#3b528b", 0.5 "#21918c", 0.75 "#5ec962", 1 "#fde725"); ' . \
	'stats data using 1 skip 1 name "rank" nooutput; every = rank_max < 8 ? 1 : ceil((rank_max + 1) / 8.0); ' . \
	'set xtics every; set ytics every; set cbrange [0:*]; set autoscale fix; set size ratio -1; ' . \
	'plot data using 2:1:3 skip 1 with image'
