"""Checks of ReFrame: the nodes are healthy, and as fast as they were.

    reframe -C site.py -c reframe_doctor.py -r --performance-report

The first check measures each node of a partition on its own, the second the nodes of one job with the network between
them. Reference values belong to the site's file of settings, or to a class that derives from these.
"""
import os
import sys

import reframe as rfm
import reframe.utility.sanity as sn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import figures  # noqa: E402


class Doctor(rfm.RunOnlyRegressionTest):
    """tacho doctor on the nodes of a job."""
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "tacho"
    folders = variable(list, value=[])  # storage to measure
    num_tasks_per_node = 1
    time_limit = "10m"
    tags = {"health"}

    @run_before("run")
    def options(self):
        self.executable_opts = ["doctor", "--brief", "--format", "json"] + self.folders

    def output(self):
        with open(os.path.join(self.stagedir, self.stdout.evaluate())) as file:
            return file.read()

    @sanity_function
    def healthy(self):
        nodes, _, troubles, _ = figures.read(self.output())
        wrong = troubles + list(figures.slow(nodes))
        return sn.assert_true(nodes and not wrong, msg="; ".join(wrong) or "no node was measured")

    @run_before("performance")
    def measured(self):
        text = self.output()
        units = figures.read(text)[1]
        for name in figures.FIGURES:
            value = figures.least(text, name)
            if value is not None:
                self.perf_variables[name] = sn.make_performance_function(sn.defer(value), units[name])


@rfm.simple_test
class NodeDoctor(Doctor):
    """One node."""
    num_tasks = 1


@rfm.simple_test
class NodesDoctor(Doctor):
    """All nodes of the partition that are idle, with the network between them."""
    num_tasks = 0
    tags = {"health", "network"}
