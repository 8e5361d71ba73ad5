#!/usr/bin/env python3
"""Logs what tacho found in a run to MLflow: to_mlflow.py RUN"""
import sys

import mlflow
import tacho

run = tacho.Run(sys.argv[1])
with mlflow.start_run(tags={"tacho_run": run.path}):
    mlflow.set_tag("verdict", run.verdict()["statements"][0]["text"])
    for finding in run.findings():
        mlflow.log_metric("seconds." + finding["rule"], finding["seconds"])
