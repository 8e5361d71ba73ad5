# What the pages promise is in the code, and the other way round.
TESTS += tests/docs_man.sh tests/docs_noise.sh tests/docs_options.sh tests/docs_pages.sh tests/docs_readmes.sh tests/layers.sh tests/options.sh tests/prose.sh tests/setup_checks.sh
EXTRA_DIST += tests/docs_man.sh tests/docs_noise.sh tests/docs_options.sh tests/docs_commands.txt tests/docs_pages.py tests/docs_pages.sh tests/docs_readmes.sh tests/layers.py tests/layers.sh tests/options.sh tests/prose.py tests/prose.sh tests/setup_checks.sh tests/zsh_completes.zsh
TESTS += tests/examples_ci.sh tests/examples_checks.sh tests/kubernetes.sh
EXTRA_DIST += tests/examples_ci.sh tests/examples_checks.sh tests/kubernetes.sh tests/kubernetes.py tests/data/kubeflow/README.md \
	tests/data/kubeflow/pytorchjob.json tests/data/kubeflow/trainjob.json
