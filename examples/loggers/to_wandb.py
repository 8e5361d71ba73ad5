#!/usr/bin/env python3
"""Logs what tacho found in a run to Weights & Biases: to_wandb.py RUN [PROJECT]"""
import sys

import tacho
import wandb

run = tacho.Run(sys.argv[1])
with wandb.init(project=sys.argv[2] if len(sys.argv) > 2 else "tacho", config={"tacho_run": run.path}) as log:
    log.summary["verdict"] = run.verdict()["statements"][0]["text"]
    for finding in run.findings():
        log.summary["seconds/" + finding["rule"]] = finding["seconds"]
