"""objects.py: random kernels for PTX of other compilers, which has neither members nor the bounds of single local variables: their accesses
to those are in bounds."""
import generate
from integers import address_forms, word

SIZES = {"unsigned char": 1, "unsigned short": 2, "unsigned": 4, "unsigned long long": 8}


class Kernel(generate.Kernel):
    linkage = ""  # compilers give static kernels different names, and the host code is clang's
    types = [t for t in generate.Kernel.types if t != "unsigned long long"]  # nvcc loads the half that is used
    fields = [f for f in generate.Kernel.fields if f[1] != "unsigned long long"]
    module_spaces = ["__device__"]  # PTX has no volatile loads of constants
    copy_parts = 16
    keeps_lines = False  # nvcc gives an access that it moves or merges the line of another; with -G volatile ones keep theirs

    def numbers(self):
        """Differences and comparisons of the addresses of an array, and words in which they are packed."""
        arrays = [m for m in self.locals + self.shared + self.constants + self.buffers[:-1] if m.type in SIZES]
        if not arrays or not self.chance(0.5):
            return
        array, w = self.rng.choice(arrays), self.fresh("w")
        self.text.line("volatile unsigned long long %s = %s;" % (w, word(array.device)), "")
        for form, value in self.rng.sample(address_forms(array.device, SIZES[array.type], self.rng.randint(0, 4), w), self.pick(1, 2, 3)):
            self.text.line("acc = acc * 31u + (unsigned)(%s);" % form, "acc = acc * 31u + (unsigned)(%dll);" % value)

    def leaves(self, role):
        return role not in ("local", "member", "grid")


def batch(seed, numbers, plans):
    return generate.batch(seed, numbers, plans, Kernel)
