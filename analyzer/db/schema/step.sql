-- step.sql - phases and steps of the program, and ranks that were late in them.

-- One row per rank and instance; window 'phase:<name>' joins all instances of a name.
create table phase (
	id integer primary key,
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	name text not null,
	instance integer not null,		-- counts from 0 per rank and name; where ranks have
						-- it unequally often, by what overlaps
	start_ns integer not null,
	end_ns integer not null,
	cut integer not null default 0		-- 1: it had not ended when its process did
);
create index phase_run on phase(run_id, name, instance);

-- Instances beyond those that have a row, where there are very many: 100,000 per rank and name.
create table phase_rest (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	name text not null,
	instances integer not null,
	ns integer not null,
	end_ns integer not null,		-- of the last
	primary key (run_id, process_id, name)
) without rowid;

create table step_sum (				-- what of a step is not in detail, if its parts
						-- are known: outermost calls of the main thread
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	n integer not null,			-- of the step
	ns integer not null,			-- all of it; without the parts it is useful
	io_ns integer not null,
	mpi_ns integer not null,
	gloo_ns integer not null,
	cuda_ns integer not null,
	wait_ns integer not null,		-- without slept_ns
	slept_ns integer not null,
	primary key (run_id, process_id, n)
) without rowid;

create table step (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	n integer not null,			-- per rank; step n of all ranks form window
						-- 'step:<n>'
	phase_id integer references phase(id) on delete set null,
	start_ns integer not null,
	end_ns integer not null,
	samples integer,			-- NULL = not given
	confidence real not null default 1,	-- 1 = marked by the program, < 1 = found in
						-- collectives, backward passes, optimizers
	cut integer not null default 0,
	waited_ns integer,			-- in MPI for other ranks; NULL = not known, or not
						-- captured
	excess_ns integer,			-- captured time without waited_ns, above the median
						-- of the other ranks
	caused_ns integer,			-- what other ranks waited in MPI for this one,
						-- summed over them
	waited_io_ns integer,			-- the part of waited_ns in collective I/O (state
						-- io); of ranks with devices 0
	stands_for integer not null default 1,	-- steps that are like it, itself included; all but
						-- 1 are in step_rest
	slept_ns integer,			-- of state wait: in calls that wait for a time
						-- which the program gave
	readers_ns integer,			-- of state wait: for threads and children that read
						-- files
	late_compute_ns integer,		-- parts of excess_ns, which they add up to; below
						-- 0: less than the others have
	late_host_ns integer,
	late_queue_ns integer,
	late_cuda_ns integer,
	late_wait_ns integer,
	late_omp_idle_ns integer,
	late_io_ns integer,
	late_link_ns integer,
	late_copies_ns integer,
	late_sleep_ns integer,
	late_readers_ns integer,
	loading_ns integer,			-- parts of a training in PyTorch, which add up to
						-- the step; NULL: not known. Waiting for
	forward_ns integer,			-- the next batch; the model that DDP or FSDP wraps
	backward_ns integer,
	optimizer_ns integer,
	checkpoint_ns integer,			-- torch.save, phases of that name
	communication_ns integer,		-- calls that communicate, also within the others
	other_ns integer,			-- all else
	primary key (run_id, process_id, n)
) without rowid;

-- Steps beyond those that have rows in step, host_time and device_time, where there are very many:
-- exact sums, by rank and phase. All together are in the view step_all.
create table step_rest (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	phase_id integer references phase(id) on delete set null,
	steps integer not null,
	samples integer,			-- NULL = not given
	ns integer not null,			-- from start to end, as of the columns below the
						-- sum
	min_ns integer not null,
	max_ns integer not null,
	waited_ns integer,
	excess_ns integer,
	caused_ns integer,
	waited_io_ns integer
);
create index step_rest_run on step_rest(run_id, process_id);

-- What the program gave by tacho_metric(): loss, accuracy and the like.
create table training_metric (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	name text not null,
	nth integer not null,			-- of this name and process, from 0; of many values
						-- some are left out, of all ranks the same
	step integer,				-- begun last then; NULL = none had begun
	t_ns integer not null,
	value real,				-- NULL = not a number
	primary key (run_id, name, nth, process_id)
) without rowid;

-- The same of the run: the mean of the ranks that gave one, once the last of them had it.
create view training_point as
select m.run_id, m.name, m.nth, min(m.step) as step, max(m.t_ns) as t_ns,
	case when count(m.value) = count(*) then avg(m.value) end as value, count(*) as ranks
from training_metric m join process p on p.id = m.process_id and p.rank is not null
group by m.run_id, m.name, m.nth;

-- What of it a training lowers (falls), as its name says, and how far it came.
create view training as
with named as (
	select distinct run_id, name, name like '%loss%' or name like '%err%'
		or name like '%perplexity%' or name like '%ppl%' or name like '%nll%'
		or name like '%mse%' or name like '%mae%' or lower(name) in ('wer', 'cer')
		as falls
	from training_metric
), sided as (
	select p.*, n.falls, case n.falls when 1 then -p.value else p.value end as goodness
	from named n join training_point p on p.run_id = n.run_id and p.name = n.name
)
select run_id, name, falls, count(*) as points, max(nth) + 1 as given,
	sum(value is null) as no_numbers,
	(select value from sided f where f.run_id = s.run_id and f.name = s.name
		order by nth limit 1) as first,
	(select value from sided f where f.run_id = s.run_id and f.name = s.name
		order by nth desc limit 1) as last,
	case falls when 1 then -max(goodness) else max(goodness) end as best
from sided s group by run_id, name;

-- How a rank of DistributedDataParallel exchanged its gradients over gloo, in all backward passes
-- that were recorded: time in which an exchange was in progress, and the part of it after the pass.
create table gradient_pass (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	passes integer not null,
	ns integer not null,			-- of several exchanges at a time once
	exposed_ns integer not null,
	primary key (run_id, process_id)
) without rowid;

-- The same of each bucket, from the post of its exchange to the end.
create table gradient_bucket (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	n integer,				-- its place in the backward pass, from 0;
						-- NULL: of those beyond 399
	bytes integer,				-- of its gradients; NULL: several
	exchanges integer not null,
	ns integer not null,
	exposed_ns integer not null
);
create index gradient_bucket_run on gradient_bucket(run_id, process_id);

-- Ranks that were slow for a stretch of steps: consistently, and by more than noise.
create table straggler (
	run_id integer not null references run(id) on delete cascade,
	rank integer not null,
	since_step integer not null,
	until_step integer not null,		-- last step of the stretch
	lasting integer not null,		-- 1: it was slow until the last step
	excess_ns integer not null,		-- per step, above the median of the other ranks,
						-- mean
	share real,				-- of the other ranks' time of a step
	waited_ns integer not null,		-- time that other ranks waited for it, summed over
						-- them
	cause text not null,			-- the part below of which it has most
	cause_share real,			-- part of the excess that the cause explains
	confidence real not null,		-- that it is slow, and by this cause: 0 to 1
	slower real not null default 1,		-- share of these steps in which it was slow
	least_ns integer,			-- the median of excess_ns is at least this, but for
						-- a chance of 1 % (sign test)
	late_ns integer not null default 0,	-- its lateness in them, the sum of what follows
						-- (docs/lateness.md)
	contention_ns integer not null default 0,	-- compute while it waited for a core,
							-- beyond the others
	compute_ns integer not null default 0,
	host_ns integer not null default 0,
	queue_ns integer not null default 0,
	cuda_ns integer not null default 0,
	wait_ns integer not null default 0,
	omp_idle_ns integer not null default 0,
	io_ns integer not null default 0,
	link_ns integer not null default 0,
	copies_ns integer not null default 0,
	sleep_ns integer not null default 0,
	readers_ns integer not null default 0,
	primary key (run_id, rank, since_step)
) without rowid;

-- Of all compared steps of a rank, per step on average (docs/noise.md); NULL: not known
create table noise (
	run_id integer not null references run(id) on delete cascade,
	rank integer not null,
	quantity text not null,		-- own: its own time; a part of that (docs/lateness.md)
	steps integer not null,		-- compared
	ns real,			-- own time
	late_ns real,			-- more of it than the median of the other ranks has
	chance_ns real,			-- what chance alone makes at most, but for 1 %
	p real,				-- that chance alone makes so much
	contention_ns real,		-- own time in which it waited for a core
	steal_ns real,			-- own time that the hypervisor took
	frequency_ns real,		-- own time that clocks below the best of the ranks took
	error_ns real,			-- of contention: counters are read now and then
	free_ns real,			-- ns less contention, steal and frequency
	primary key (run_id, rank, quantity)
) without rowid;

-- All steps: each row of step, and of those without one a row for many.
create view step_all as
select run_id, process_id, phase_id, 1 as steps, samples, end_ns - start_ns as ns, cut, waited_ns,
	excess_ns, caused_ns, waited_io_ns
from step
union all
select run_id, process_id, phase_id, steps, samples, ns, 0, waited_ns, excess_ns, caused_ns,
	waited_io_ns
from step_rest;

-- All phases, a row per name: from the first rank in to the last out, of all instances, what
-- overlaps once: the states of each rank sum to it.
create view phase_all as
with instance as (
	select run_id, name, instance, max(end_ns) - min(start_ns) as ns,
		min(start_ns) as first_ns, max(cut) as cut
	from phase group by run_id, name, instance
), rest as (
	select run_id, name, max(instances) as instances from phase_rest group by run_id, name
)
select i.run_id, i.name, count(*) + coalesce(r.instances, 0) as instances,
	coalesce((select sum(h.ns) from host_time h
		where h.run_id = i.run_id and h.window = 'phase:' || i.name
		and h.process_id = (select min(process_id) from host_time o
			where o.run_id = i.run_id and o.window = 'phase:' || i.name)),
		sum(i.ns)) as ns,
	min(i.first_ns) as first_ns, max(i.cut) as cut
from instance i left join rest r on r.run_id = i.run_id and r.name = i.name
group by i.run_id, i.name;
