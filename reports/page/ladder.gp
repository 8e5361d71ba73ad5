# A waterfall: today's time of the steps, then what each cause takes from it, from the right.
set style fill solid 1 noborder
set grid noytics xtics linetype 1 linecolor rgb "#8a8f98" linewidth 0.25
set lmargin 28
set xlabel "seconds of all steps"
set xrange [0:*]
set yrange [-rows + 0.4:0.6]
set ytics scale 0
unset key
plot data using (0):(-$0):(0):2:(-$0 - 0.32):(-$0 + 0.32):ytic(1) skip 1 with boxxyerror linecolor rgb c_useful, \
	data using 2:(-$0):2:($2 + $3):(-$0 - 0.32):(-$0 + 0.32) skip 1 with boxxyerror linecolor rgb c_mpi
