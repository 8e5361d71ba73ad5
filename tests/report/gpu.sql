-- Gives each rank of train.sql a stand-in device.
insert into device select i + 1, 1, 1 + i * (select nodes from size) / (select ranks from size), 'GPU-' || i, 'Stand-in', 'stand-in', null from r;
insert into process_device select i + 1, i + 1, 0 from r;
insert into timeline select 1, null, r.i + 1, m.column1, (select duration_ns / 50 + 1 from run), (select json_group_array(m.column2) from bin)
from r, (values ('compute', 540), ('nccl_transfer', 90), ('nccl_wait', 110), ('memcpy', 10), ('idle:io_wait', 150), ('idle:launch_latency', 60),
	('idle:host_compute', 40)) m;
insert into device_time select 1, r.i + 1, 'run', m.column1, (select duration_ns from run) / 100 * m.column2
from r, (values ('compute', 54), ('nccl_transfer', 9), ('nccl_wait', 11), ('memcpy', 1), ('idle:io_wait', 15),
	('idle:launch_latency', 6), ('idle:host_compute', 3), ('idle:unknown', 1)) m;
insert into metric select 1, 'run', m.column1, m.column2, '', m.column3, '1', null
from (values ('device', 'device_parallel_efficiency', 0.54), ('device', 'load_balance', 0.98), ('device', 'communication_efficiency', 0.73),
	('device', 'orchestration_efficiency', 0.75), ('replay', 'device_parallel_efficiency', 0.54), ('replay', 'transfer_efficiency', 0.91),
	('replay', 'memory_efficiency', 1.0), ('replay', 'io_efficiency', 0.79), ('replay', 'host_efficiency', 0.93),
	('replay', 'serialisation_efficiency', 0.82), ('replay', 'load_balance', 0.98)) m;
