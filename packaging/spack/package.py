# Spack: a repository's packages/tacho/package.py. Until there is a release, url is that of a
# release archive made by make dist: spack install tacho url=file:///path/tacho-0.1.0.tar.gz
from spack.package import *

try:
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass  # Spack before 1.0 has it with the others


class Tacho(AutotoolsPackage):
    """Records what every rank, thread, GPU stream and file of an unmodified distributed
    training did (MPI, CUDA, NCCL, I/O, waiting), and says where the time went."""

    url = "file:///tmp/tacho-0.1.0.tar.gz"

    license("BSD-3-Clause")

    version("0.1.0")

    variant("mpi", default=True, description="the reference trainer, and analysis under mpirun")
    variant("cuda", default=False, description="the reference trainer on GPUs (recording does not need it)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("otf2")
    depends_on("sqlite@3.30:")
    depends_on("zlib-api")
    depends_on("hwloc@2:")
    depends_on("openblas", when="+mpi")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@13:", when="+cuda")
    depends_on("nccl", when="+cuda")
    depends_on("gnuplot", type="run")

    conflicts("+cuda", when="~mpi", msg="the trainer needs MPI")

    def configure_args(self):
        spec = self.spec
        args = [f"--with-otf2={spec['otf2'].prefix}"]
        args.append(f"--with-mpi={spec['mpi'].prefix}" if "+mpi" in spec else "--without-mpi")
        args += self.with_or_without("cuda", activation_value="prefix")
        args.append(f"--with-nccl={spec['nccl'].prefix}" if "+cuda" in spec else "--without-nccl")
        return args
