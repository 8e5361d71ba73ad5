-- python.sql - where in Python threads were seen.

-- Where threads were seen in Python (libtacho looks 50 times a second): places in the tree of
-- calls.
create table python_frame (
	id integer primary key,
	run_id integer not null references run(id) on delete cascade,
	caller_id integer references python_frame(id) on delete cascade,
						-- NULL: the outermost
	own_id integer references python_frame(id) on delete cascade,
						-- itself or the innermost caller that is no
						-- library's; NULL: all are
	from_id integer references python_frame(id) on delete cascade,
						-- the caller that tells it from other calls of
						-- the same line; NULL: one line calls it, or
						-- the caller has little of its time
	function text not null,
	file text not null,
	line integer				-- NULL = not known
);
create index python_frame_run on python_frame(run_id);

-- How long a thread was seen at each, the time between two looks being the later one's.
create table python_sample (
	run_id integer not null references run(id) on delete cascade,
	process_id integer not null references process(id) on delete cascade,
	location_id integer references location(id) on delete cascade,
						-- NULL: a thread that recorded nothing
	frame_id integer references python_frame(id) on delete cascade,
						-- NULL: the stack could not be read, or there were
						-- too many
	state text not null,			-- import loading forward backward optimizer
						-- communication checkpoint io wait cuda computing
	call text,				-- outermost recorded call that it was in
	phase text,
	samples integer not null,
	ns integer not null
);
create index python_sample_run on python_sample(run_id, process_id);

-- What a frame is called in sentences: the program's own line, and if several call that, from
-- where: fetch() at io.py:12, called from train.py:64.
create view python_place as
select f.run_id, f.id as frame_id, o.file, o.function, o.line,
	case o.function when '<module>' then '' else o.function || '() at ' end
	|| replace(o.file, rtrim(o.file, replace(o.file, '/', '')), '') || ':'
	|| coalesce(o.line, '?') || coalesce(', called from '
		|| replace(c.file, rtrim(c.file, replace(c.file, '/', '')), '') || ':' || c.line,
	'') as place
from python_frame f join python_frame o on o.id = coalesce(f.own_id, f.id)
	left join python_frame c on c.id = o.from_id;

-- Lines of the program itself, by the time that they or what they call were seen in; children are
-- the rank's.
create view python_line as
select s.run_id,
	coalesce(p.rank, (select r.rank from process r where r.id = p.parent_id)) as rank,
	s.process_id,
	case when p.rank is null then iif(l.is_main is 0, 'child thread', 'child')
		when l.is_main then 'main' else 'thread' end as thread, s.state, s.phase,
	o.file, o.function, o.line, o.place, sum(s.ns) as ns, sum(s.samples) as samples
from python_sample s
join process p on p.id = s.process_id
left join location l on l.id = s.location_id
left join python_place o on o.frame_id = s.frame_id
group by s.run_id, s.process_id, thread, s.state, s.phase, o.file, o.function, o.line, o.place;

-- Modules of PyTorch (nn.Module) on stacks, by the frame of their forward(): a model as
-- its class with
-- the line of the program that calls it, a module in it by the attributes that lead there
-- ("Net (train.py:40): layer2.0.conv1"), or likewise by its class where they are not known.
create view python_module_frame as
with recursive frame as materialized (
	select id, run_id, caller_id, iif(file = '<nn.Module>', function, null) as name,
		file = '<nn.Module>' or file glob '*/torch/nn/modules/module.py' as is_call,
		function = 'forward' or function glob '*.forward' as is_forward,
		iif(function = 'forward', base, replace(owner, rtrim(owner, replace(owner, '.',
			'')), '')) as class,
		iif(own_id = id, base || ':' || coalesce(line, '?'), null) as site
	from (select *, replace(file, rtrim(file, replace(file, '/', '')), '') as base,
		substr(function, 1, length(function) - length('.forward')) as owner
		from python_frame)
), walk(run_id, id, is_call, is_module, name, site, depth, module, class, called_at) as (
	select run_id, id, is_call, 0, null, site, 0, '', '', null from frame
	where caller_id is null
	union all
	select f.run_id, f.id, f.is_call, w.is_call and f.is_forward,
		iif(f.is_call, coalesce(f.name, w.name), null), iif(f.is_call, w.site, f.site),
		w.depth + (w.is_call and f.is_forward),
		iif(w.is_call and f.is_forward, w.module || coalesce(case w.depth
			when 0 then null when 1 then ': ' else '.' end || w.name,
				iif(w.depth, ' > ', '') || f.class
			|| coalesce(' (' || w.site || ')', '')), w.module),
		iif(w.is_call and f.is_forward, f.class, w.class),
		iif(w.is_call and f.is_forward, w.site, w.called_at)
	from walk w join frame f on f.caller_id = w.id
)
select run_id, id as frame_id, module, class, called_at, depth, is_module from walk where depth > 0;

-- How long ranks were seen in forward() of modules, not counting modules within them.
create view python_module as
select s.run_id, p.rank, s.process_id, m.module, m.class, m.called_at, m.depth, sum(s.ns) as ns,
	sum(s.samples) as samples
from python_module_frame m join python_sample s on s.run_id = m.run_id and s.frame_id = m.frame_id
	join process p on p.id = s.process_id and p.rank is not null
group by s.run_id, p.rank, s.process_id, m.module, m.class, m.called_at, m.depth;
