/* sample.c: a generator of numbers with a seed of the process, and the share of them below which a launch is checked.
 */
#include "host/launch/sample.h"
#include "cusafe/layout.h"
#include "host/base/messages.h"
#include "options/process.h"
#include <pthread.h>
#include <sys/random.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define ALL (~0ull)
#define GOLDEN 0x9e3779b97f4a7c15ull

static cs_u64 state, share; /* share: of 2^64 */
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

int cs_host_sample_takes(void) {
  cs_u64 limit = __atomic_load_n(&share, __ATOMIC_RELAXED);
  return limit == ALL || next() < limit;
}

unsigned cs_host_sample_first(void) {
  return __atomic_load_n(&first, __ATOMIC_RELAXED);
}

void cs_host_sample_set(double probability, int first_launches) {
  cs_host_sample_is_on(); /* starts it */
  set(probability, first_launches);
}
