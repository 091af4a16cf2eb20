// lab.cpp: intervals whose ends are a function's arguments.
#include "pass/ranges/tests/lab.h"

namespace cusafe::ranges::tests {

static constexpr unsigned MaxIntervals = 8;

Lab::Lab() : module("lab", context), code(context) {
  SmallVector<Type *, 24> types;
  for (unsigned i = 0; i < MaxIntervals; i++)
    types.append({code.getInt64Ty(), code.getInt64Ty(), code.getInt1Ty()});
  function =
      Function::Create(FunctionType::get(code.getVoidTy(), types, false), GlobalValue::ExternalLinkage, "lab", module);
  code.SetInsertPoint(BasicBlock::Create(context, "", function));
}

Interval Lab::interval(const Shape &shape) {
  assert_true(used < MaxIntervals);
  Argument *low = function->getArg(3 * used), *high = function->getArg(3 * used + 1);
  Argument *valid = function->getArg(3 * used + 2);
  used++;
  return {low, shape.exact ? low : high, shape.sure ? nullptr : valid, shape.min, shape.max};
}

void Lab::clear() {
  BasicBlock &block = function->getEntryBlock();
  while (!block.empty())
    block.back().eraseFromParent();
  code.SetInsertPoint(&block);
  used = 0;
}

std::vector<Ends> all_ends(const Shape &shape) {
  std::vector<Ends> list;
  for (int64_t low = shape.min; low <= shape.max; low++)
    for (int64_t high = low; high <= (shape.exact ? low : shape.max); high++)
      list.push_back({low, high});
  return list;
}

} // namespace cusafe::ranges::tests
