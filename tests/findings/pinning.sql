-- two ranks on one core of four take turns
-- expect pinning/cores 55 2 ranks on node n1 share 1 of its 4 cores
update process set affinity = '3';
