// lab.h: intervals whose ends are a function's arguments, so that the tests of
// rules can run the code that a rule adds. C++ only.
#ifndef CUSAFE_PASS_RANGES_TESTS_LAB_H
#define CUSAFE_PASS_RANGES_TESTS_LAB_H

#include "pass/ranges/interval.h"
#include "pass/ranges/tests/run.h"
#include "llvm/IR/Module.h"
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}

namespace cusafe::ranges::tests {

using Wide = __int128;

// What is known of an interval at compile time.
struct Shape {
  int64_t min, max;
  bool exact, sure; // the ends are the same value; `valid` is null
};

// The ends in one run.
struct Ends {
  int64_t low, high;
  bool valid = true;
};

// One function, to which a rule adds its code.
class Lab {
  LLVMContext context;
  Module module;
  Function *function;
  unsigned used = 0;

public:
  Code code;
  Lab();
  // An interval of this shape, of arguments of the function.
  Interval interval(const Shape &shape);
  // Removes the code, and frees the arguments.
  void clear();
};

inline void set(Run &run, const Interval &i, const Ends &ends) {
  run.set(i.low, ends.low);
  run.set(i.high, ends.high);
  if (i.valid)
    run.set(i.valid, ends.valid ? -1 : 0);
}

// All ends of a shape between its min and max: those of exact intervals are
// equal.
std::vector<Ends> all_ends(const Shape &shape);

// What a rule's interval is in one run.
inline bool is_valid(Run &run, const Interval &i) {
  return i.valid == nullptr || run.holds(i.valid);
}

// As a number of this many bits wraps.
inline int64_t wrap(int64_t value, unsigned width) {
  int64_t modulus = int64_t(1) << width, low = value & (modulus - 1);
  return low >= modulus / 2 ? low - modulus : low;
}
inline int64_t as_unsigned(int64_t value, unsigned width) {
  return value & ((int64_t(1) << width) - 1);
}

} // namespace cusafe::ranges::tests

#endif
