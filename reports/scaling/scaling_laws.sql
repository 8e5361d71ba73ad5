-- For tacho scaling: the laws of the whole run and of phases.
select phase, law, what, 100 * value as "value_%", 100 * error as "error_%",
	coalesce(means, '') as means
from scaling_law order by configuration, "window" <> 'run', "window", nth;
