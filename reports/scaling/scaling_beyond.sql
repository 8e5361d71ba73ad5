-- For tacho scaling: the laws and POP's factors at twice and four times the largest size.
select configuration as study, units as size, what, value, low, high,
	coalesce(bound, '') as "bound_first"
from scaling_beyond order by configuration, is_factor, what, units;
