"""sites.py: finds the accesses of a program's device code in clang's syntax tree, and wraps each in a macro of injector.h."""
import hashlib
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import runner

HERE = Path(__file__).resolve().parent
STATEMENTS = {"CompoundStmt", "IfStmt", "ForStmt", "WhileStmt", "DoStmt", "SwitchStmt", "CaseStmt", "DefaultStmt", "LabelStmt", "CXXForRangeStmt"}
TRANSPARENT = {"NoOp", "LValueBitCast", "UncheckedDerivedToBase", "DerivedToBase"}
PATTERNS = {"FunctionTemplateDecl": ("FunctionDecl", "CXXMethodDecl"), "ClassTemplateDecl": ("CXXRecordDecl",)}
ATOMIC = re.compile(r"^(atomic\w+|__ldg|__ldc[gsav]|__stc[gs]|__stwb)$")


class Site:
    """An access. begin and end delimit the text that is wrapped: an index, or a pointer. lines are those of its statement."""

    def __init__(self, wrapper, file, begin, end, base, sure, movable, lines):
        self.wrapper, self.file, self.begin, self.end, self.base = wrapper, file, begin, end, base
        self.sure, self.movable, self.lines = sure, movable, lines
        self.number, self.arrays = 0, set()  # arrays: clang's names of the variable that base is, one for each instance of a template

    def opening(self):
        base = "" if self.base is None else "(%s), " % self.base
        return "%s(%d, %d, %s(" % (self.wrapper, self.number, self.sure, base)


class Bound:
    """What a plan can make smaller: the declared bound of an array, or the dynamic shared memory of a launch."""

    def __init__(self, wrapper, file, begin, end):
        self.wrapper, self.file, self.begin, self.end = wrapper, file, begin, end
        self.number, self.arrays = 0, set()

    def opening(self):
        return "%s(%d, (" % (self.wrapper, self.number)


class Tree:
    """The syntax tree of one program without the headers of others, which are precompiled."""

    def __init__(self, compiler, source):
        self.texts, self.found, self.unwatched = {}, {}, set()
        self.bounds, self.measured = {}, set()  # measured: arrays whose sizeof, or range, the program uses
        self.file = None
        self.visit(compiler.tree(source), [], False, False)

    def text(self, file):
        if file not in self.texts:
            self.texts[file] = Path(file).read_bytes()
        return self.texts[file]

    def locate(self, place):
        """(file, offset, offset past the token, is it a macro's). clang omits a file that is the previous location's."""
        if "offset" in place:
            self.file = place.get("file", self.file)
            return self.file, place["offset"], place["offset"] + place["tokLen"], False
        found = [self.locate(place[key]) for key in ("spellingLoc", "expansionLoc") if key in place]
        return (*found[-1][:3], True) if found else None

    def visit(self, node, parents, device, pattern):
        """pattern: a template itself, whose types are unknown; its instances follow it."""
        kind = node.get("kind", "")
        if "loc" in node:
            node["place"] = self.locate(node["loc"])
        if "range" in node:
            begin, end = self.locate(node["range"]["begin"]), self.locate(node["range"]["end"])
            if begin and end and begin[0] == end[0]:
                node["at"], node["macro"] = (begin[0], begin[1], end[2]), begin[3] or end[3]
        if kind in ("FunctionDecl", "CXXMethodDecl"):
            device = not node.get("isImplicit") and any(n.get("kind") in ("CUDAGlobalAttr", "CUDADeviceAttr") for n in node.get("inner", ()))
        patterns = PATTERNS.get(kind)
        for child in node.get("inner", ()):
            first = patterns and child.get("kind") in patterns
            self.visit(child, parents + [node], device, pattern or bool(first))
            patterns = () if first else patterns
        self.consider_bound(node, device and not pattern)
        if kind in ("CXXRecordDecl", "CXXConstructorDecl") and node.get("place") and str(runner.ROOT) in str(Path(node["place"][0]).resolve()):
            file, offset = node["place"][:2]  # a constructor that clang writes has the line of its class
            self.unwatched.add((Path(file).name, self.text(file).count(b"\n", 0, offset) + 1))
        if device and not pattern and "at" in node and str(runner.ROOT) in str(Path(node["at"][0]).resolve()):
            if is_memory(node) and (node["macro"] or not self.consider(node, parents)):
                self.unwatched |= {(Path(node["at"][0]).name, line) for line in self.statement(node, parents)}

    def consider_bound(self, node, device):
        kind, inner = node.get("kind"), node.get("inner", ())
        if kind == "CUDAKernelCallExpr" and len(inner) > 1 and len(inner[1].get("inner", ())) > 3:
            size = inner[1]["inner"][3]
            if "at" in size and not size["macro"] and size["kind"] != "CXXDefaultArgExpr":
                self.bound("INJECT_LESS", *size["at"])
        elif kind in ("UnaryExprOrTypeTraitExpr", "CXXForRangeStmt"):
            self.measured |= set(re.findall(r"'id': '(0x[0-9a-f]+)'", str(node)))
        elif kind == "VarDecl" and device and "init" not in node and re.search(r"\[([2-9]|\d\d+)\]", type_of(node)) and node.get("place"):
            file, _, name_end, macro = node["place"]
            text = self.text(file)
            if not macro and text[name_end:name_end + 1] == b"[":
                self.bound("INJECT_BOUND", file, name_end + 1, text.index(b"]", name_end)).arrays.add(node["id"])

    def bound(self, wrapper, file, begin, end):
        return self.bounds.setdefault((file, begin), Bound(wrapper, file, begin, end))

    def arrays(self):
        return [b for b in self.bounds.values() if b.arrays and not b.arrays & self.measured]

    def consider(self, node, parents):
        """Whether the oracle watches this access."""
        inner = node.get("inner", ())
        if node["kind"] == "ArraySubscriptExpr":
            base, index = inner
            wrapper, movable = classify(base)
            if wrapper == "INJECT_VARIABLE" and parents[-1].get("opcode") == "&":
                wrapper = "INJECT_MEMBER"  # clang checks the index of an address that is only passed on: docs/understand/limits.md
            return self.add(wrapper, node, index, base, parents, movable)
        if node["kind"] == "UnaryOperator" or node["kind"] == "MemberExpr" and type_of(inner[0]).endswith("*"):
            return self.add("INJECT_POINTER", node, inner[0], None, parents, True)
        return False

    def add(self, wrapper, node, wrapped, base, parents, movable):
        if any("at" not in n or n["macro"] for n in (wrapped, base or wrapped)) or is_this(wrapped):
            return False
        file, begin, end = wrapped["at"]
        access = is_access(node, parents)
        known = self.found.get((file, begin, end))
        array = variable_of(base) if wrapper in ("INJECT_VARIABLE", "INJECT_MEMBER") else None
        if known:  # another instance of the same template
            known.arrays.add(array)
            known.movable = known.movable and movable and access is not None
            return access is not None
        copied = base and self.text(file)[base["at"][1]:base["at"][2]].decode()
        if copied and ("(" in copied or "++" in copied or "//" in copied or "\n" in copied):
            return False
        whole = access == "whole" and not re.search(r"\b(struct|class|union)\b|[A-Z]\w*", type_of(node))
        self.found[file, begin, end] = Site(wrapper, file, begin, end, copied, whole, movable and access is not None,
                                            self.statement(node, parents))
        self.found[file, begin, end].arrays.add(array)
        return access is not None

    def statement(self, node, parents):
        """The lines of the statement that contains the access."""
        for parent in reversed(parents):
            if parent["kind"] in STATEMENTS:
                break
            node = parent if "at" in parent and parent["kind"] != "LambdaExpr" else node
        file, begin, end = node["at"]
        count = lambda offset: self.text(file).count(b"\n", 0, offset) + 1
        return set(range(count(begin), count(end) + 1))

    def number(self):
        """Numbers sites and bounds in the order of the source."""
        order = lambda found: sorted(found.values(), key=lambda s: (s.file, s.begin, -s.end))
        for found in (order(self.found), order(self.bounds)):
            for number, each in enumerate(found, 1):
                each.number = number
        return order(self.found)

    def rewritten(self, file):
        """The text of one file with its sites and bounds wrapped; no line moves."""
        own = [s for s in [*self.found.values(), *self.bounds.values()] if Path(s.file).resolve() == file]
        return rewrite(file.read_bytes(), own)


def is_memory(node):
    """Whether the expression may access memory through a pointer or a reference."""
    kind = node["kind"]
    if kind == "UnaryOperator":
        return node.get("opcode") == "*"
    if kind == "DeclRefExpr":
        return node.get("referencedDecl", {}).get("type", {}).get("qualType", "").endswith("&")
    if kind == "CallExpr":
        return bool(re.match(r"(__builtin_)?mem(cpy|set|move)$", callee_of(node)) or ATOMIC.match(callee_of(node)))
    return kind == "ArraySubscriptExpr" or kind == "MemberExpr" and node.get("isArrow", False)


def is_this(node):
    while node["kind"] == "ImplicitCastExpr":
        node = node["inner"][0]
    return node["kind"] == "CXXThisExpr"


def callee_of(call):
    callee = call["inner"][0]
    while callee.get("inner"):
        callee = callee["inner"][0]
    return callee.get("referencedDecl", {}).get("name", "")


def type_of(node):
    return node.get("type", {}).get("desugaredQualType") or node.get("type", {}).get("qualType", "")


def classify(base):
    """The wrapper of an index into base; whether moving the index by enough elements leaves what bounds the access."""
    if base["kind"] != "ImplicitCastExpr" or base.get("castKind") != "ArrayToPointerDecay":
        return "INJECT_INDEX", True
    array = base["inner"][0]
    while array["kind"] == "ParenExpr":
        array = array["inner"][0]
    declared = array.get("referencedDecl", {})
    bounded = re.search(r"\[\d+\]", type_of(array))
    if array["kind"] == "DeclRefExpr" and declared.get("kind") == "VarDecl" and "&" not in declared["type"]["qualType"]:
        return ("INJECT_VARIABLE", True) if bounded else ("INJECT_DYNAMIC", True)
    if array["kind"] == "MemberExpr" and bounded and not re.search(r"\[[01]\]", type_of(array)):
        return "INJECT_MEMBER", True
    return "INJECT_INDEX", False


def variable_of(base):
    while base.get("inner"):
        base = base["inner"][0]
    return base.get("referencedDecl", {}).get("id")


def is_access(node, parents):
    """"whole" if the expression is loaded or stored as it is, "part" if a member or an element of it is, None if only its address is
    used: then the access has another line."""
    how, child = "whole", node
    if node["kind"] == "MemberExpr":
        how = "part"
        if "bound member" in type_of(node):
            return None
    rest = list(reversed(parents))
    for n, parent in enumerate(rest):
        kind = parent["kind"]
        if kind == "ImplicitCastExpr":
            cast = parent.get("castKind")
            if cast == "LValueToRValue":
                return how
            if cast == "ArrayToPointerDecay" and rest[n + 1]["kind"] == "ArraySubscriptExpr" and rest[n + 1]["inner"][0] is parent:
                how = "part"
            elif cast not in TRANSPARENT:
                return None
        elif kind == "MemberExpr":
            if parent.get("isArrow") or "bound member" in type_of(parent):
                return None
            how = "part"
        elif kind in ("BinaryOperator", "CompoundAssignOperator"):
            return how if parent.get("opcode", "").endswith("=") and parent["inner"][0] is child else None
        elif kind == "UnaryOperator":
            if parent["opcode"] in ("++", "--"):
                return how
            return how if parent["opcode"] == "&" and is_atomic(rest[n + 1:]) else None
        elif kind not in ("ParenExpr", "ArraySubscriptExpr"):
            return None
        child = parent
    return None


def is_atomic(parents):
    """Whether an address is the argument of an atomic, or of another function of a header that is one access."""
    for parent in parents:
        if parent["kind"] == "CallExpr":
            return bool(ATOMIC.match(callee_of(parent)))
        if parent["kind"] not in ("ImplicitCastExpr", "ParenExpr", "CStyleCastExpr"):
            return False
    return False


class Compiler:
    """clang's parser with the flags of `cusafe cc`."""

    def __init__(self, cusafe, clang, cuda, folder):
        private = Path(cusafe).parents[1] / "lib" / "cusafe"
        self.folder = Path(folder)
        self.command = [clang, "-x", "cuda", "--cuda-path=" + cuda, "-Wno-unknown-cuda-version", "--cuda-device-only", "--offload-arch=sm_80",
                        "-w", "-emit-llvm", "-c", "-include", private / "cusafe_nvcc.h", "-isystem", cuda + "/include/cccl"]

    def tree(self, source):
        done = runner.run([*self.command, "-Xclang", "-include-pch", "-Xclang", self.precompiled(source), "-fsyntax-only", "-Xclang",
                           "-ast-dump=json", source])
        if done.code:
            raise ValueError(runner.first_error(done.err))
        return json.loads(done.out)

    def precompiled(self, source):
        headers = sorted(system_headers(source, set()))
        text = "".join("#include <%s>\n" % name for name in headers)
        path = self.folder / (hashlib.md5(text.encode()).hexdigest() + ".pch")
        if not path.exists():
            head = path.with_suffix(".h")
            head.write_text(text)
            part = path.with_suffix(".%d.part" % id(self))
            done = runner.run([*self.command, "-include", head, "-Xclang", "-emit-pch", "/dev/null", "-o", part])
            if done.code:
                raise ValueError(runner.first_error(done.err))
            part.rename(path)
        return path


def system_headers(source, seen):
    """The headers in <> of a program and of its own headers."""
    found = set()
    source = source.resolve()
    if source in seen or not source.exists():
        return found
    seen.add(source)
    for bracket, name in re.findall(r'^\s*#\s*include ([<"])([^>"]+)[>"]', source.read_text(), re.M):
        found |= {name} if bracket == "<" else system_headers(source.parent / name, seen)
    return found


def rewrite(text, sites):
    edits = [(s.end, 0, -s.begin, "))") for s in sites] + [(s.begin, 1, -s.end, s.opening()) for s in sites]
    out, position = [], 0
    for offset, _, _, insertion in sorted(edits):
        out += [text[position:offset].decode(), insertion]
        position = offset
    return "".join(out) + text[position:].decode()
