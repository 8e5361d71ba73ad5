# Packages of other systems; nothing of it is built here but by make portable.
EXTRA_DIST += packaging/README.md packaging/Containerfile packaging/deb packaging/rpm packaging/tacho.def packaging/tacho.spec packaging/spack/package.py \
	packaging/portable packaging/portable-mpi packaging/portable.md packaging/portable_glibc.c \
	packaging/debian/changelog packaging/debian/control packaging/debian/copyright packaging/debian/rules packaging/debian/source/format \
	packaging/debian/tacho.install packaging/debian/tacho-mpi.install
TESTS += tests/docs_packaging.sh
EXTRA_DIST += tests/docs_packaging.sh tests/spack_recipe.py tests/image tests/packages tests/release tests/debian_root.sh tests/pytorch2

# One archive for clusters where nothing can be installed.
portable: dist
	$(top_srcdir)/packaging/portable $(distdir).tar.gz .
.PHONY: portable
