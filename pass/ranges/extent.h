// extent.h: how far a pointer can be from its root. C++ only.
#ifndef CUSAFE_PASS_RANGES_EXTENT_H
#define CUSAFE_PASS_RANGES_EXTENT_H

#include "pass/ranges/query.h"

namespace cusafe::ranges {

struct Distance {
  Value *root;
  unsigned align;        // that the access in question requires
  uint64_t multiple = 0; // the distance is a multiple of this; 0: it is 0
};
// In bytes. Updates distance.multiple.
Maybe distance_of(const Query &q, Value *pointer, Distance &distance);

} // namespace cusafe::ranges

#endif
