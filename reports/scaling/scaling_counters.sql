-- For tacho scaling: what computation scalability is made of.
select label as run, computation, instructions, ipc, frequency
from scaled where "window" = 'run' and instructions is not null
order by configuration, units, run_id;
