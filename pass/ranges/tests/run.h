// run.h: an interpreter of functions with integers and one buffer, for what the
// analysis claims and for the code that it adds. C++ only.
#ifndef CUSAFE_PASS_RANGES_TESTS_RUN_H
#define CUSAFE_PASS_RANGES_TESTS_RUN_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include <functional>
#include <map>
#include <string>

namespace cusafe::ranges::tests {
using namespace llvm;

class Run {
public:
  // Values of arguments; a pointer is its distance from the buffer's start.
  void set(const Value *v, int64_t value);
  // What a call of this function returns: registers, stand-ins, and inputs of
  // the program.
  std::map<std::string, int64_t> calls;

  // Executes the function, for at most this many instructions. `visit` sees
  // each access with its distance. False: the behaviour was not defined. Added
  // code, before `point`, has no undefined behaviour: a quotient by 0 is 0.
  bool execute(Function &function, const Instruction *point, unsigned instructions,
               const std::function<void(const Instruction &access, int64_t distance)> &visit);

  // Whether the last function has returned.
  bool ended = false;

  // Whether the value has been computed.
  bool has(const Value *v) const;
  // As a signed number. Computes code that no function has executed, from its
  // operands.
  int64_t number(const Value *v);
  bool holds(const Value *v) { return number(v) != 0; } // i1 is 0 or -1

private:
  APInt get(const Value *v);
  APInt compute(const Instruction &i);
  APInt call(const CallInst &call);
  APInt binary(const BinaryOperator &op);

  DenseMap<const Value *, APInt> values;
  const Instruction *point = nullptr;
  bool defined = true;
};

} // namespace cusafe::ranges::tests

#endif
