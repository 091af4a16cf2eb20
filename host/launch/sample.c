/* sample.c: a generator of numbers with a seed of the process, from which each thread draws how many launches it skips
 * until one is checked. */
#include "host/launch/sample.h"
#include "host/base/changes.h"
#include "host/base/messages.h"
#include "host/launch/repeat.h"
#include "options/process.h"
#include <pthread.h>
#include <sys/random.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define ALL (~0ull)
#define GOLDEN 0x9e3779b97f4a7c15ull

static _Thread_local cs_u64 drawn
    __attribute__((tls_model("initial-exec"))); /* for this number of settings; 0: never */

static cs_u64 state, share; /* share: of 2^64 */
static cs_u64 settings;
static unsigned first;
static int is_on, is_chosen;

/* The finaliser of SplitMix64: consecutive states have independent numbers. */
static cs_u64 mix(cs_u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

static cs_u64 next(void) {
  return mix(__atomic_add_fetch(&state, GOLDEN, __ATOMIC_RELAXED));
}

static cs_u64 share_of(double probability) {
  return probability >= 1 ? ALL : (cs_u64)(probability * 0x1p64);
}

/* Without random bytes, the time and the process distinguish processes. */
static cs_u64 seed(void) {
  struct timespec now;
  cs_u64 bits;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == (ssize_t)sizeof bits)
    return bits;
  clock_gettime(CLOCK_REALTIME, &now);
  return ((cs_u64)now.tv_sec << 32 ^ (cs_u64)now.tv_nsec) + (cs_u64)getpid() * GOLDEN;
}

static void set(double probability, int first_launches) {
  __atomic_store_n(&share, is_chosen ? share_of(probability) : 0, __ATOMIC_RELAXED);
  __atomic_store_n(&first, is_chosen ? (unsigned)first_launches : 0, __ATOMIC_RELAXED);
  __atomic_fetch_add(&settings, 1, __ATOMIC_RELEASE);
  cs_host_changed();
}

static void start(void) {
  const struct cs_options *o = cs_options();
  is_on = cs_options_samples(o);
  state = is_on ? seed() : 0;
  is_chosen = share_of(o->sample_processes) == ALL || next() < share_of(o->sample_processes);
  set(o->sample, o->sample_first);
  if (is_on)
    cs_host_message(2, is_chosen ? "a share of %g of the launches is checked" : "this process checks no launches",
                    o->sample);
}

int cs_host_sample_is_on(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
  return is_on;
}

/* The natural logarithm of x > 0, without the mathematical library: x = m 2^e, and ln m is
 * 2 artanh((m - 1) / (m + 1)). */
static double logarithm(double x) {
  int exponent = 0;
  while (x < 0.70710678118654752) {
    x *= 2;
    exponent--;
  }
  while (x > 1.41421356237309505) {
    x /= 2;
    exponent++;
  }
  double y = (x - 1) / (x + 1), power = y, sum = 0;
  for (int n = 1; n < 24; n += 2, power *= y * y)
    sum += power / n;
  return 2 * sum + exponent * 0.69314718055994531;
}

/* Launches before the next one that is checked, if each is checked with this share, independently of the others. */
static cs_u64 draw(cs_u64 limit) {
  if (limit == ALL || limit == 0)
    return limit ? 0 : ALL;
  double uniform = ((double)(next() >> 11) + 0.5) * 0x1p-53, passed = 1 - (double)limit * 0x1p-64;
  double launches = passed < 1 ? logarithm(uniform) / logarithm(passed) : 0x1p64;
  return launches < 0x1p63 ? (cs_u64)launches : ALL;
}

int cs_host_sample_takes(void) {
  cs_u64 now = __atomic_load_n(&settings, __ATOMIC_ACQUIRE), limit = __atomic_load_n(&share, __ATOMIC_RELAXED);
  if (drawn != now)
    cs_host_repeating.left = draw(limit);
  drawn = now;
  if (cs_host_repeating.left) {
    cs_host_repeating.left--;
    return 0;
  }
  cs_host_repeating.left = draw(limit);
  return 1;
}

unsigned cs_host_sample_first(void) {
  return __atomic_load_n(&first, __ATOMIC_RELAXED);
}

void cs_host_sample_set(double probability, int first_launches) {
  cs_host_sample_is_on(); /* starts it */
  set(probability, first_launches);
}
