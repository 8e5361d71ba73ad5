# Pages for readers: installed as they are, and by make html-docs as static HTML.
dist_doc_DATA = \
	docs/attach.md \
	docs/beside.md \
	docs/calls.md \
	docs/checks.md \
	docs/definitions.md \
	docs/diagnoses.md \
	docs/exports.md \
	docs/first-diagnosis.md \
	docs/glossary.md \
	docs/history.md \
	docs/index.md \
	docs/kubernetes.md \
	docs/lateness.md \
	docs/noise.md \
	docs/python.md \
	docs/pytorch.md \
	docs/report.md \
	docs/rules.md \
	docs/slurm.md \
	docs/studies.md \
	docs/torch.md \
	docs/traces.md \
	docs/unseen.md
EXTRA_DIST += docs/report.png docs/study.png docs/timeline.png mkdocs.yml

.PHONY: html-docs clean-html-docs
html-docs:
	@test -n "$(MKDOCS)" || { echo "html-docs: mkdocs is not installed (Debian: apt-get install mkdocs)" >&2; exit 1; }
	$(MKDOCS) build -q --strict -f $(abs_top_srcdir)/mkdocs.yml -d $(abs_builddir)/html-docs
clean-local: clean-html-docs
clean-html-docs:
	rm -rf html-docs
