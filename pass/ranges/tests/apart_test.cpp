// apart_test.cpp: programs with numbers of a few bits are executed by all threads of small grids, and no two of them
// access a common byte where the analysis claims so.
#include "pass/bridge/analyses.h"
#include "pass/ranges/apart.h"
#include "pass/ranges/tests/lab.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/SourceMgr.h"
#include <random>

using namespace cusafe::ranges;
using namespace cusafe::ranges::tests;

namespace {

// Registers of 32 bits, numbers of 7: some products wrap. $guard is an i1, and $index a number %i, which a loop may
// define.
const char head[] = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
define void @f(ptr %p, i7 %n, i7 %m) {
  %point = freeze i1 true
  %tx32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx32 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by32 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %nx32 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ny32 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %gx32 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %tx = trunc i32 %tx32 to i7
  %ty = trunc i32 %ty32 to i7
  %bx = trunc i32 %bx32 to i7
  %by = trunc i32 %by32 to i7
  %nx = trunc i32 %nx32 to i7
  %ny = trunc i32 %ny32 to i7
  %gx = trunc i32 %gx32 to i7
  %xb = mul i7 %bx, %nx
  %x = add i7 %xb, %tx
  %yb = mul i7 %by, %ny
  %y = add i7 %yb, %ty
  %total = mul i7 %nx, %gx
  %c1 = icmp slt i7 %x, %n
  %c2 = icmp slt i7 %y, %m
  %c3 = icmp eq i7 %tx, 0
  %c12 = and i1 %c1, %c2
  %c4 = icmp sge i7 %tx, 2
  %c14 = and i1 %c1, %c4
)";

const char straight[] = R"(
  br i1 $guard, label %body, label %end
body:
  $index
  $access
  br label %end
end:
  ret void
})";

const char loop[] = R"(
  br i1 $guard, label %before, label %end
before:
  br label %body
body:
  %j = phi i7 [ $from, %before ], [ %next, %body ]
  $index
  $access
  %next = add nsw i7 %j, $by
  %more = icmp slt i7 %next, $to
  br i1 %more, label %body, label %end
end:
  ret void
})";

const char *const guards[] = {"true", "%c1", "%c2", "%c12", "%c3", "%c4", "%c14"};

const char *const indices[] = {
    "%i = add i7 %x, 0",
    "%i = add i7 %x, 3",
    "%i = sub i7 %n, %x",
    "%i = lshr i7 %x, 1",
    "%i = shl i7 %x, 1",
    "%i = mul i7 %x, %m",
    "%a = mul i7 %y, %n\n %i = add i7 %a, %x",
    "%a = mul i7 %x, %m\n %i = add i7 %a, %y",
    "%a = mul i7 %y, 3\n %i = add i7 %a, %x",
    "%a = add i7 %y, 1\n %b = mul i7 %a, %n\n %i = add i7 %b, %x",
    "%a = mul i7 %y, %total\n %i = add i7 %a, %x",
    "%a = mul i7 %bx, 3\n %i = add i7 %a, %tx",
    "%a = mul i7 %by, %m\n %b = add i7 %a, %bx\n %i = add i7 %b, %ty",
    "%i = add i7 %bx, 0",
    "%a = mul i7 %ty, 3\n %i = add i7 %a, %tx",
    "%a = mul i7 %ty, %n\n %i = add i7 %a, %tx",
    "%a = mul i7 %ty, 2\n %b = mul i7 %tx, 3\n %i = add i7 %a, %b",
    "%i = xor i7 %x, 1",
    "%a = add i7 %x, %m\n %i = add i7 %a, 1",
    "%a = add i7 %x, %m\n %b = mul i7 %y, %n\n %i = add i7 %a, %b",
};

const char *const loop_indices[] = {
    "%i = add i7 %j, 0",
    "%a = mul i7 %x, %m\n %i = add i7 %a, %j",
    "%a = mul i7 %j, %n\n %i = add i7 %a, %x",
    "%a = mul i7 %tx, 4\n %i = add i7 %a, %j",
    "%a = mul i7 %y, %n\n %i = add i7 %a, %j",
};

const char *const accesses[] = {
    "%e = sext i7 %i to i64\n %q = getelementptr i8, ptr %p, i64 %e\n store i8 0, ptr %q",
    "%e = zext i7 %i to i64\n %q = getelementptr i16, ptr %p, i64 %e\n store i16 0, ptr %q",
    "%e = sext i7 %i to i64\n %q = getelementptr i8, ptr %p, i64 %e\n store i16 0, ptr %q",
    "%e = sext i7 %i to i64\n %q = getelementptr i32, ptr %p, i64 %e\n store i16 0, ptr %q\n"
    "%r = getelementptr i8, ptr %q, i64 2\n store i8 0, ptr %r",
    "%e = sext i7 %i to i64\n %q = getelementptr i16, ptr %p, i64 %e\n store i16 0, ptr %q\n"
    "%r = getelementptr i8, ptr %q, i64 2\n store i8 0, ptr %r",
    "%e = sext i7 %i to i64\n %q = getelementptr i8, ptr %p, i64 %e\n store i8 0, ptr %q\n"
    "%r = getelementptr i8, ptr %q, i64 12\n store i8 0, ptr %r\n"
    "%s = getelementptr i8, ptr %q, i64 6\n store i8 0, ptr %s",
};

// A read, as a volatile store.
const char *const reads[] = {
    "",
    "",
    "%o = mul i7 %m, %n\n %e2 = sext i7 %o to i64\n %q2 = getelementptr i8, ptr %p, i64 %e2\n"
    "store volatile i8 0, ptr %q2",
    "%o = mul i7 %y, %n\n %e2 = sext i7 %o to i64\n %q2 = getelementptr i8, ptr %p, i64 %e2\n"
    "store volatile i8 0, ptr %q2",
    "%o = mul i7 %y, %n\n %o2 = add i7 %o, %m\n %e2 = sext i7 %o2 to i64\n"
    "%q2 = getelementptr i16, ptr %p, i64 %e2\n store volatile i16 0, ptr %q2",
    "%o = add i7 %x, %m\n %e2 = sext i7 %o to i64\n %q2 = getelementptr i8, ptr %p, i64 %e2\n"
    "store volatile i8 0, ptr %q2",
    "%o = sub i7 %m, 1\n %o2 = add i7 %o, %x\n %e2 = sext i7 %o2 to i64\n"
    "%q2 = getelementptr i16, ptr %p, i64 %e2\n store volatile i16 0, ptr %q2",
};

struct Ways {
  const char *from, *by, *to;
};
const Ways ways[] = {
    {"%x", "%total", "%n"}, {"0", "1", "%m"}, {"%tx", "%nx", "%n"}, {"%x", "%m", "%n"}, {"1", "2", "9"}};

void replace(std::string &text, const std::string &name, const std::string &by) {
  for (size_t at; (at = text.find("$" + name)) != std::string::npos;)
    text.replace(at, name.size() + 1, by);
}

using Random = std::mt19937;
template <class T, size_t N> const T &one_of(Random &random, const T (&items)[N]) {
  return items[random() % N];
}

std::string program(Random &random) {
  bool loops = random() % 2;
  const Ways &way = one_of(random, ways);
  std::string text = std::string(head) + (loops ? loop : straight);
  replace(text, "guard", one_of(random, guards));
  replace(text, "index", loops && random() % 4 ? one_of(random, loop_indices) : one_of(random, indices));
  replace(text, "access", std::string(one_of(random, accesses)) + "\n" + one_of(random, reads));
  replace(text, "from", way.from);
  replace(text, "by", way.by);
  replace(text, "to", way.to);
  return text;
}

struct Grid {
  int block[2], grid[2];
  int64_t n, m;
};

// One that accesses a byte.
struct Thread {
  int tid[2], ctaid[2];
  bool writes = false;
  bool is_of_block_of(const Thread &other) const { return ctaid[0] == other.ctaid[0] && ctaid[1] == other.ctaid[1]; }
};

void set_registers(Run &run, const Grid &g, const Thread &t) {
  static const char *const dimensions[] = {"x", "y", "z"};
  for (int d = 0; d < 3; d++) {
    std::string registers = "llvm.nvvm.read.ptx.sreg.", name = dimensions[d];
    run.calls[registers + "tid." + name] = d < 2 ? t.tid[d] : 0;
    run.calls[registers + "ctaid." + name] = d < 2 ? t.ctaid[d] : 0;
    run.calls[registers + "ntid." + name] = d < 2 ? g.block[d] : 1;
    run.calls[registers + "nctaid." + name] = d < 2 ? g.grid[d] : 1;
    run.calls["__cs_first_block_" + name] = 0;
    run.calls["__cs_last_block_" + name] = d < 2 ? g.grid[d] - 1 : 0;
  }
}

struct Program {
  Function &function;
  Instruction *point = nullptr;
  Value *claim = nullptr;
  bool of_block, by_number;
};

// Adds what the analysis claims.
void analyse(Program &p) {
  Function &f = p.function;
  TargetLibraryInfoImpl libraries{Triple("nvptx64-nvidia-cuda")};
  TargetLibraryInfo library(libraries);
  AssumptionCache assumptions(f);
  DominatorTree dominators(f);
  LoopInfo loops(dominators);
  ScalarEvolution evolution(f, library, assumptions, dominators, loops);
  cs_pass_analyses analyses{dominators, loops, evolution};
  std::vector<StoreInst *> stores;
  for (Instruction &i : instructions(f)) {
    if (i.getName() == "point")
      p.point = &i;
    if (auto *store = dyn_cast<StoreInst>(&i))
      stores.push_back(store);
  }
  cs_pass_ranges *ranges = cs_pass_ranges_begin(&analyses, wrap(p.point), 1);
  cs_pass_apart *apart = cs_pass_apart_begin(ranges, p.of_block, p.by_number);
  bool all = true;
  for (StoreInst *store : stores)
    all &= cs_pass_apart_add(apart, wrap(store->getPointerOperand()), wrap(f.getArg(0)), wrap(store),
                             store->getValueOperand()->getType()->getIntegerBitWidth() / 8, !store->isVolatile()) != 0;
  LLVMValueRef holds = cs_pass_apart_end(apart);
  p.claim = all ? unwrap(holds) : nullptr;
  cs_pass_ranges_end(ranges);
  assert_false(verifyFunction(f, &errs()));
}

// Of one thread: adds it to the bytes that it accesses. Returns false if its behaviour is not defined.
bool execute(const Program &p, Run &run, const Grid &g, const Thread &t, std::multimap<int64_t, Thread> &owners) {
  set_registers(run, g, t);
  run.set(p.function.getArg(0), 0);
  run.set(p.function.getArg(1), g.n);
  run.set(p.function.getArg(2), g.m);
  return run.execute(p.function, p.point, 900, [&](const Instruction &access, int64_t distance) {
    int64_t size = access.getOperand(0)->getType()->getIntegerBitWidth() / 8;
    Thread owner = t;
    owner.writes = !cast<StoreInst>(access).isVolatile();
    for (int64_t at = distance; at < distance + size; at++)
      owners.insert({at, owner});
  });
}

// Returns whether there was a claim in this grid, which then is right.
bool run_grid(const Program &p, const Grid &g) {
  std::multimap<int64_t, Thread> owners;
  bool claimed = false;
  for (int c1 = 0; c1 < g.grid[1]; c1++)
    for (int c0 = 0; c0 < g.grid[0]; c0++)
      for (int t1 = 0; t1 < g.block[1]; t1++)
        for (int t0 = 0; t0 < g.block[0]; t0++) {
          Thread t{{t0, t1}, {c0, c1}};
          Run run;
          if (!execute(p, run, g, t, owners))
            return false;
          claimed = run.holds(p.claim);
          if (!claimed)
            return false;
        }
  for (auto at = owners.begin(); at != owners.end(); ++at)
    for (auto other = std::next(at); other != owners.end() && other->first == at->first; ++other) {
      const Thread &a = at->second, &b = other->second;
      bool same = a.is_of_block_of(b) && a.tid[0] == b.tid[0] && a.tid[1] == b.tid[1];
      if (same || (!a.writes && !b.writes) || (p.of_block && !a.is_of_block_of(b)))
        continue;
      errs() << "two threads race for byte " << at->first << ": blockDim " << g.block[0] << ' ' << g.block[1]
             << ", gridDim " << g.grid[0] << ' ' << g.grid[1] << ", n " << g.n << ", m " << g.m << '\n'
             << p.function;
      fail();
    }
  return claimed;
}

void test_random(void **state) {
  (void)state;
  Random random(7);
  unsigned long claims = 0, runs = 0, programs = 0;
  for (int i = 0; i < 800; i++) {
    LLVMContext context;
    SMDiagnostic error;
    std::unique_ptr<Module> module = parseAssemblyString(program(random), error, context);
    if (!module) {
      error.print("apart_test", errs());
      fail();
    }
    Program p{*module->getFunction("f"), nullptr, nullptr, random() % 3 == 0, random() % 2 == 0};
    analyse(p);
    unsigned long before = claims;
    for (int k = 0; p.claim && k < 60; k++, runs++) {
      Grid g{{1 + int(random() % 4), 1 + int(random() % 2)},
             {1 + int(random() % 3), 1 + int(random() % 2)},
             int64_t(random() % 16) - 2,
             int64_t(random() % 8) - 1};
      claims += run_grid(p, g);
    }
    programs += claims > before;
  }
  print_message("%lu of %lu grids of %lu programs\n", claims, runs, programs);
  assert_true(claims > 2000 && programs > 100); // or the test says nothing
}

} // namespace

int main() {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
