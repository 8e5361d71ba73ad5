#!/bin/sh
# What the table io_file says of the order and the number of accesses: spools as a program leaves them, merged and analysed.
. "$top_srcdir/tests/analyze_common.sh"

# use FOLDER: the file's columns after a process did what stands on standard input with handle 1 (of the file /data/f)
use() {
	mkdir -p "$dir/$1/spool"
	{
		printf '%s\n' "process n.10.0 10 0 1" "comm 1 world 0 0 0 0 MPI_COMM_WORLD" "handle 1 file 5 0x2 /data/f" \
			"handle 2 mpi 9 0 /data/m" "handle 3 file 6 0x2 /data/f" "end 9000" "thread 0 main" \
			"${inside:-#}" "rec CALL MPI_Init 0 0 1000 10"
		awk '{ print "rec", $1, $2, 0, $3, 1100 + 20 * NR, 10, $4, $5, $6 }'
	} >"$dir/$1.txt"
	"$top_builddir/tests/unit/spool_make" "$dir/$1/spool" <"$dir/$1.txt" 2>"$dir/err" &&
		"$tacho" -q merge "$dir/$1" >/dev/null 2>"$dir/err" &&
		"$tacho" -q analyze --db "$dir/$1.db" "$dir/$1" 2>"$dir/err" &&
		sqlite3 "$dir/$1.db" "select path, reads, writes, bytes_read, bytes_written, sequential from io_file order by path" |
			tr '\n' ' ' | tee -a "$dir/err"
}

echo 1..9

[ "$(use backwards <<-X
	IO_PLAIN open 1 0
	IO_PLAIN lseek 1 8192
	IO_PLAIN read 1 4096
	IO_PLAIN lseek 1 4096
	IO_PLAIN read 1 4096
	IO_PLAIN lseek 1 0
	IO_PLAIN read 1 4096
X
)" = "/data/f|3|0|12288|0|0.0 " ]
ok $? "reads after seeks to elsewhere do not follow on"

[ "$(use told <<-X
	IO_PLAIN open 1 0
	IO_PLAIN lseek 1 8192
	IO_PLAIN lseek 1 0
	IO_PLAIN read 1 4096
	IO_PLAIN lseek 1 4096
	IO_PLAIN read 1 4096
	IO_PLAIN close 1 0
	IO_PLAIN open 1 0
	IO_PLAIN read 1 4096
	IO_PLAIN read 1 4096
X
)" = "/data/f|4|0|16384|0|1.0 " ]
ok $? "asking for the position, and reading the file again, do"

[ "$(use append <<-X
	IO_PLAIN open 1 0
	IO_PLAIN write 1 4096
	IO_PLAIN close 1 0
	IO_PLAIN open 3 0
	IO_PLAIN lseek 3 4096
	IO_PLAIN write 3 4096
	IO_PLAIN open 1 0
	IO_PLAIN write 3 4096
X
)" = "/data/f|0|3|0|12288|1.0 " ]
ok $? "so does appending, and what one handle does while another is moved"

[ "$(use explicit <<-X
	IO_PLAIN open 1 0
	IO_PLAIN read 1 100
	IO_LONG pread 1 100 100
	IO_LONG pread 1 100 5000
X
)" = "/data/f|3|0|300|0|0.5 " ]
ok $? "explicit offsets are looked at as they are"

[ "$(use split <<-X
	IO_PLAIN MPI_File_open 2 0
	IO_LONG MPI_File_write_at_all_begin 2 0 0
	IO_PLAIN MPI_File_write_at_all_end 2 100
	IO_LONG MPI_File_write_at_all_begin 2 0 100
	IO_PLAIN MPI_File_write_at_all_end 2 100
	IO_LONG MPI_File_read_at_all_begin 2 0 700
	IO_PLAIN MPI_File_read_at_all_end 2 100
X
)" = "/data/m|1|2|100|200|0.5 " ]
ok $? "both halves of a split transfer are one, at the place of the first"

inside="rec IO_PLAIN read 1 1 1002 5 700"
[ "$(use init <<-X
	IO_PLAIN write 1 50
	IO_LONG MPI_File_iwrite 2 600 -1 7
	DONE_SHORT MPI_Wait 1 7|600
X
)" != "" ] && [ "$(sqlite3 "$dir/init.db" "select name, bytes_sent, bytes_received from call order by name" | tee "$dir/err" | tr '\n' ' ')" = \
	"MPI_File_iwrite|600|0 MPI_Init|0|0 MPI_Wait|0|0 read|0|0 write|50|0 " ]
ok $? "bytes of files are no bytes of MPI_Init and MPI_Wait"

inside=
[ "$(use copy <<-X
	IO_PLAIN sendfile 1 4096 2
	IO_PLAIN copy_file_range 1 96 2
	IO_PLAIN copy_file_range 1 -1 2
X
)" = "/data/f|3|0|4192|0|1.0 /data/m|0|3|0|4192|1.0 " ]
ok $? "what sendfile and copy_file_range move is read here and written there"

# Two threads read a half each, in turns; which of them analyze reads first must not matter.
mkdir -p "$dir/halves/spool"
{
	printf '%s\n' "process n.10.0 10 0 1" "comm 1 world 0 0 0 0 MPI_COMM_WORLD" "handle 1 file 5 0x2 /data/f" "end 9000"
	for thread in 0 1; do
		echo "thread $thread reader"
		for part in 0 1 2 3; do
			echo "rec IO_LONG pread 0 1 $((1100 + 100 * part + 50 * thread)) 10 100 $((5000 * thread + 100 * part))"
		done
	done
} >"$dir/halves.txt"
"$top_builddir/tests/unit/spool_make" "$dir/halves/spool" <"$dir/halves.txt" 2>"$dir/err" &&
	"$tacho" -q merge "$dir/halves" >/dev/null 2>"$dir/err" &&
	"$tacho" -q analyze --jobs 2 --db "$dir/halves.db" "$dir/halves" 2>"$dir/err"
[ "$(sqlite3 "$dir/halves.db" "select reads, sequential from io_file" | tee -a "$dir/err")" = "8|1.0" ]
ok $? "what follows on is counted for each thread by itself"

# Opened for 10 ns at each of these times: two saves of one opening, of which the second follows after a pause; and one of a thread.
mkdir -p "$dir/saves/spool"
{
	printf '%s\n' "process n.10.0 10 0 1" "comm 1 world 0 0 0 0 MPI_COMM_WORLD" "handle 1 file 5 0x2 /data/f" "end 9000000000" "thread 0 main" \
		"rec IO_PLAIN open 0 1 1000 10 0"
	for t in 1050 1070 3000000000; do
		echo "rec IO_PLAIN write 0 1 $t 10 2000000"
	done
	printf '%s\n' "rec IO_PLAIN fsync 0 1 3000000100 10 0" "rec IO_PLAIN close 0 1 3000000200 10 0" "rec IO_PLAIN open 0 1 4000000000 10 0" \
		"rec IO_PLAIN read 0 1 4000000100 10 500" "rec IO_PLAIN close 0 1 4000000200 10 0" "thread 1 writer" "rec IO_PLAIN write 0 1 2000 30 70000"
} >"$dir/saves.txt"
"$top_builddir/tests/unit/spool_make" "$dir/saves/spool" <"$dir/saves.txt" 2>"$dir/err" &&
	"$tacho" -q merge "$dir/saves" >/dev/null 2>"$dir/err" &&
	"$tacho" -q analyze --jobs 2 --db "$dir/saves.db" "$dir/saves" 2>"$dir/err"
[ "$(sqlite3 "$dir/saves.db" "select start_ns - first, end_ns - first, bytes, is_main from io_save,
	(select min(start_ns) as first from io_save) order by start_ns" | tee -a "$dir/err" | tr '\n' ' ')" = \
	"0|80|4000000|1 1000|1030|70000|0 2999999000|2999999210|2000000|1 " ]
ok $? "when a file is written is from its opening to its last write or its close, but for pauses"
