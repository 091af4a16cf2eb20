/* half.c: half precision, as the toolkit's headers ask for it in inline PTX. */
#include "support.h"

f32 __cr_half_to_f32(f16 x) {
  return (f32)x;
}
