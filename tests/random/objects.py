"""objects.py: random kernels for PTX of other compilers, which has neither members nor the bounds of single local variables: their accesses
to those are in bounds."""
import generate


class Kernel(generate.Kernel):
    linkage = ""  # compilers give static kernels different names, and the host code is clang's
    types = [t for t in generate.Kernel.types if t != "unsigned long long"]  # nvcc loads the half that is used
    fields = [f for f in generate.Kernel.fields if f[1] != "unsigned long long"]
    module_spaces = ["__device__"]  # PTX has no volatile loads of constants
    copy_parts = 16
    keeps_lines = False  # nvcc gives an access that it moves or merges the line of another; with -G volatile ones keep theirs

    def leaves(self, role):
        return role not in ("local", "member", "grid")


def batch(seed, numbers, plans):
    return generate.batch(seed, numbers, plans, Kernel)
