// claims.cpp: what the analysis claims about the accesses of one function,
// compared with runs of it.
#include "pass/ranges/tests/claims.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace cusafe::ranges::tests {

static constexpr unsigned MaxInstructions = 400; // more than 2^4 iterations of the tests' loops

Claims::Claims(Module &module, bool whole)
    : function(*module.getFunction("f")), triple("nvptx64-nvidia-cuda"), libraries(triple), library(libraries),
      assumptions(function), dominators(function), loops(dominators),
      evolution(function, library, assumptions, dominators, loops), analyses{dominators, loops, evolution} {
  std::vector<Instruction *> accesses;
  for (Instruction &i : instructions(function)) {
    if (i.getName() == "point")
      point = &i;
    if (isa<StoreInst>(i))
      accesses.push_back(&i);
  }
  ranges = cs_pass_ranges_begin(&analyses, wrap(point), whole);
  for (Instruction *access : accesses) {
    Claim claim{access, {}};
    if (dominators.dominates(point, access) &&
        cs_pass_ranges_extent(ranges, wrap(cast<StoreInst>(access)->getPointerOperand()), wrap(function.getArg(0)),
                              wrap(access), 1, &claim.extent))
      claims.push_back(claim);
  }
  if (verifyFunction(function, &errs()))
    abort();
}

Claims::~Claims() {
  cs_pass_ranges_end(ranges);
}

bool Claims::holds(Run &run, const Claim &claim, int64_t distance) {
  const cs_pass_extent &e = claim.extent;
  if (!run.has(unwrap(e.low)) && !run.has(unwrap(e.high)))
    return true; // the point has not been executed
  int64_t low = run.number(unwrap(e.low)), high = run.number(unwrap(e.high));
  bool valid = e.valid == nullptr || run.holds(unwrap(e.valid));
  bool reached = e.reached == nullptr || run.holds(unwrap(e.reached));
  answered += valid, narrow += valid && high - low < 1 << 16;
  bool multiple = e.multiple == 0 ? distance == 0 : distance % int64_t(e.multiple) == 0;
  if (reached && (!valid || (distance >= low && distance <= high && multiple)))
    return true;
  raw_string_ostream(wrong) << "the access " << *claim.access << " is at " << distance << ", and is claimed to be in ["
                            << low << ", " << high << "], a multiple of " << e.multiple
                            << (reached ? "" : ", and not reached") << '\n';
  return false;
}

bool Claims::hold(const std::vector<int64_t> &arguments, const std::map<std::string, int64_t> &calls) {
  Run run;
  run.calls = calls;
  run.set(function.getArg(0), 0);
  for (unsigned i = 1; i < function.arg_size(); i++)
    run.set(function.getArg(i), arguments[i - 1]);
  bool right = true;
  wrong.clear();
  auto visit = [&](const Instruction &access, int64_t distance) {
    accesses++;
    for (const Claim &claim : claims)
      if (claim.access == &access && right)
        right = holds(run, claim, distance);
  };
  bool defined = run.execute(function, point, MaxInstructions, visit);
  if (right || !defined || (assumes_end && !run.ended)) // a claim about what is not defined may be wrong
    return true;
  errs() << wrong << "in a run with";
  for (int64_t argument : arguments)
    errs() << ' ' << argument;
  for (auto &call : calls)
    errs() << ", " << call.first << " = " << call.second;
  errs() << '\n' << function;
  return false;
}

} // namespace cusafe::ranges::tests
