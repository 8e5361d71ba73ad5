#!/usr/bin/env python3
"""spack_recipe.py RECIPE CONFIGURE.AC: evaluates a Spack recipe with stand-ins for Spack's names, as Spack 1 and those before it
have them, and checks the arguments that it gives to configure against configure's own options."""
import re
import sys
import types


class Prefixed:
    def __init__(self, name):
        self.prefix = "/spack/" + name


class Spec:
    def __init__(self, *variants):
        self.variants = variants

    def __contains__(self, variant):
        return variant in self.variants

    def __getitem__(self, name):
        assert name in dependencies, f"{name} is no dependency"
        return Prefixed(name)


class AutotoolsPackage:
    def with_or_without(self, name, activation_value=None):
        assert name in variants, name
        on = "+" + name in self.spec
        return [f"--with-{name}={self.spec[name].prefix}" if on else f"--without-{name}"]


dependencies, variants = set(), set()


def recipe_load(path, new):
    dependencies.clear()
    variants.clear()
    package = types.ModuleType("spack.package")
    package.__dict__.update(
        version=lambda name, **more: None,
        license=lambda name: None,
        variant=lambda name, default, description: variants.add(name),
        depends_on=lambda spec, type=None, when=None: dependencies.add(re.split("[@+~]", spec)[0]),
        conflicts=lambda spec, when, msg: None,
    )
    names = ["spack", "spack.package"]
    modules = {"spack": types.ModuleType("spack"), "spack.package": package}
    if new:
        at = "spack_repo.builtin.build_systems.autotools"
        names = [at.rsplit(".", n)[0] for n in range(3, -1, -1)]
        modules.update({name: types.ModuleType(name) for name in names})
        modules[at].AutotoolsPackage = AutotoolsPackage
    else:
        package.AutotoolsPackage = AutotoolsPackage
    for name in [n for n in sys.modules if n.startswith("spack")]:
        del sys.modules[name]
    sys.modules.update(modules)
    scope = {}
    exec(compile(open(path, encoding="utf-8").read(), path, "exec"), scope)
    return scope["Tacho"]


options = set(re.findall(r"AC_ARG_WITH\(\[(\w+)\]", open(sys.argv[2], encoding="utf-8").read()))
for new in True, False:
    recipe = recipe_load(sys.argv[1], new)
    assert recipe.url.endswith(".tar.gz") and variants == {"mpi", "cuda"}, (recipe.url, variants)
    for chosen in (["+mpi"], [], ["+mpi", "+cuda"]):
        package = recipe()
        package.spec = Spec(*chosen)
        given = package.configure_args()
        for argument in given:
            name = re.fullmatch(r"--with(?:out)?-(\w+)(?:=/spack/[\w-]+)?", argument)
            assert name and name.group(1) in options, f"configure knows no {argument}"
        assert ("--without-mpi" in given) == (not chosen), given
        assert ("--with-cuda=/spack/cuda" in given) == ("+cuda" in chosen), given
