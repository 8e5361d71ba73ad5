# Installed with the documentation, in their folders.
examples_shown = \
	examples/README.md \
	examples/ci/README.md \
	examples/ci/github.yml \
	examples/ci/gitlab-ci.yml \
	examples/cluster/README.md \
	examples/grafana/alerts.yml \
	examples/grafana/dashboard.json \
	examples/checks/figures.py \
	examples/checks/reframe_doctor.py \
	examples/kubernetes/job.yaml \
	examples/kubernetes/pytorchjob.yaml \
	examples/kubernetes/trainjob.yaml \
	examples/notebook/runs.ipynb \
	examples/slurm/site/tacho.conf \
	examples/pytorch/README.md \
	examples/pytorch/digits.py \
	examples/pytorch/loop.py \
	examples/pytorch/train.py
examples_run = \
	examples/checks/clush-doctor \
	examples/cluster/cluster \
	examples/cluster/slurm.sh \
	examples/cluster/study \
	examples/loggers/to_mlflow.py \
	examples/loggers/to_wandb.py \
	examples/pytorch/slurm.sh \
	examples/pytorch/torchrun \
	examples/slurm/mpirun.sh \
	examples/slurm/site/epilog \
	examples/slurm/site/task-prolog \
	examples/slurm/srun.sh
EXTRA_DIST += $(examples_shown) $(examples_run) examples/quickstart examples/which-gpus

install-data-local: install-examples
install-examples:
	for f in $(examples_shown) $(examples_run); do \
		mode=644; case " $(examples_run) " in *" $$f "*) mode=755 ;; esac; \
		$(MKDIR_P) "$(DESTDIR)$(docdir)/$${f%/*}" && \
		$(INSTALL) -m $$mode "$(srcdir)/$$f" "$(DESTDIR)$(docdir)/$$f" || exit 1; \
	done
uninstall-local: uninstall-examples
uninstall-examples:
	for f in $(examples_shown) $(examples_run); do rm -f "$(DESTDIR)$(docdir)/$$f"; done
.PHONY: install-examples uninstall-examples

include examples/trainer.mk
