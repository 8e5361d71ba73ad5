# Packages of other systems; nothing of it is built here.
EXTRA_DIST += packaging/README.md packaging/Containerfile packaging/deb packaging/tacho.def packaging/tacho.spec packaging/spack/package.py \
	packaging/debian/changelog packaging/debian/control packaging/debian/copyright packaging/debian/rules packaging/debian/source/format \
	packaging/debian/tacho.install packaging/debian/tacho-mpi.install
TESTS += tests/docs_packaging.sh
EXTRA_DIST += tests/docs_packaging.sh
