# GPU × step as an image (one PNG inside the SVG): dark is not computing. Rows are labelled with the GPU's name.
again = "refresh"	# its data are not read twice
set datafile missing	# NaN is a pixel left out, not a line: an image has all its pixels
set xlabel "step"
set ylabel "GPU, as rank:number"
set cblabel "share of the step computing"
set rmargin 12
set grid noytics
unset key
set border 0
set palette defined (0 "#7a0403", 0.3 "#d9603b", 0.6 "#f1c45c", 1 "#2a9d6f")
set cbrange [0:1]
stats data using 1 skip 1 name "place" nooutput
array gpu[int(place_max) + 1]
do for [i=1:int(place_max) + 1] { gpu[i] = "" }
stats data using (gpu[int($1) + 1] = word(stringcolumn(2), 1), 0) skip 1 nooutput
every_nth = place_max < 8 ? 1 : ceil((place_max + 1) / 8.0)
set ytics ()
shown = -every_nth
do for [i=0:int(place_max)] {
	if (strlen(gpu[i + 1]) > 0 && i - shown >= every_nth) {
		set ytics add (gpu[i + 1] i)
		shown = i
	}
}
set autoscale fix
# An image has two rows at least.
set style fill solid 1 noborder
if (place_max > 0) { plot data using 3:1:4 skip 1 with image } else {
	set yrange [-0.5:0.5]
	set boxwidth 1 relative
	plot data using 3:(-0.5):($3 - 0.5):($3 + 0.5):(-0.5):(0.5):4 skip 1 with boxxyerror linecolor palette
}
