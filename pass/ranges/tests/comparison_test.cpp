// comparison_test.cpp: each rule of comparison.h, for all small intervals and
// all predicates, compared with all numbers of 4 bits.
#include "pass/ranges/comparison.h"
#include "pass/ranges/tests/lab.h"

using namespace cusafe::ranges;
using namespace cusafe::ranges::tests;

namespace {

constexpr unsigned Width = 4;

const CmpInst::Predicate predicates[] = {
    CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,  CmpInst::ICMP_SLT, CmpInst::ICMP_SLE, CmpInst::ICMP_SGT,
    CmpInst::ICMP_SGE, CmpInst::ICMP_ULT, CmpInst::ICMP_ULE, CmpInst::ICMP_UGT, CmpInst::ICMP_UGE,
};

bool compare(CmpInst::Predicate p, int64_t x, int64_t y) {
  return ICmpInst::compare(APInt(Width, uint64_t(x), true, true), APInt(Width, uint64_t(y), true, true), p);
}

// What is compared with: also where nothing is known of it.
const Shape shapes[] = {
    {-8, 7, false, true}, {0, 7, false, true}, {-8, -1, false, true}, {-3, 4, false, false},
    {1, 6, false, false}, {-8, 7, true, true}, {0, 7, true, false},   {-2, 3, true, true},
};

using Check = std::function<void(Run &, Ends, Ends)>;
using Runs = std::function<void(const Check &)>;

// All pairs of small intervals of all shapes; the second is also not valid
// once, where it may be.
void for_all(const std::function<void(Lab &, Interval a, Interval b, const Runs &)> &rule) {
  Lab lab;
  for (const Shape &s : shapes)
    for (const Shape &t : shapes) {
      lab.clear();
      Interval a = lab.interval(s), b = lab.interval(t);
      rule(lab, a, b, [&](const Check &check) {
        for (const Ends &x : all_ends(s))
          for (Ends y : all_ends(t))
            for (bool valid : {true, false}) {
              y.valid = valid;
              if (!valid && t.sure)
                continue;
              Run run;
              set(run, b, y), set(run, a, x);
              check(run, x, y);
            }
      });
    }
}

// A number that is not valid may be any.
int64_t least(const Ends &y) {
  return y.valid ? y.low : -8;
}
int64_t most(const Ends &y) {
  return y.valid ? y.high : 7;
}

void expect(Run &run, const Interval &result, int64_t x, const char *rule, CmpInst::Predicate p, Ends v, Ends other) {
  if (!is_valid(run, result))
    return;
  int64_t low = run.number(result.low), high = run.number(result.high);
  if (x >= low && x <= high && low >= result.min && high <= result.max)
    return;
  print_error("%s: %lld is not in [%lld, %lld] (known: [%lld, %lld]), if "
              "[%lld, %lld] %s [%lld, %lld]%s\n",
              rule, (long long)x, (long long)low, (long long)high, (long long)result.min, (long long)result.max,
              (long long)v.low, (long long)v.high, CmpInst::getPredicateName(p).str().c_str(), (long long)other.low,
              (long long)other.high, other.valid ? "" : ", not valid");
  fail();
}

void clamping(void **) {
  unsigned long narrowed = 0;
  for (CmpInst::Predicate p : predicates)
    for_all([&](Lab &lab, Interval a, Interval b, auto &runs) {
      Interval result = clamp(lab.code, a, p, b);
      runs([&](Run &run, Ends v, Ends other) {
        for (int64_t x = v.low; x <= v.high; x++)
          for (int64_t y = least(other); y <= most(other); y++)
            if (compare(p, x, y))
              expect(run, result, x, "clamp", p, v, other);
        narrowed += run.number(result.low) > v.low || run.number(result.high) < v.high;
      });
    });
  assert_true(narrowed > 50000);
}

// For signed predicates, and where no number is negative, nothing else is left.
void clamping_is_tight(void **) {
  for (CmpInst::Predicate p : predicates)
    for_all([&](Lab &lab, Interval a, Interval b, auto &runs) {
      if (p == CmpInst::ICMP_NE || (ICmpInst::isUnsigned(p) && (a.min < 0 || b.min < 0)))
        return;
      Interval result = clamp(lab.code, a, p, b);
      runs([&](Run &run, Ends v, Ends other) {
        int64_t low = 8, high = -9;
        for (int64_t x = v.low; x <= v.high; x++)
          for (int64_t y = other.low; y <= other.high; y++)
            if (compare(p, x, y))
              low = std::min(low, x), high = std::max(high, x);
        if (low > high || !other.valid)
          return;
        assert_int_equal(run.number(result.low), low);
        assert_int_equal(run.number(result.high), high);
      });
    });
}

void moved_clamping(void **) {
  unsigned long narrowed = 0;
  for (CmpInst::Predicate p : predicates)
    for (int64_t by : {-8, -1, 2})
      for (bool minus : {false, true})
        for_all([&](Lab &lab, Interval a, Interval b, auto &runs) {
          if (!ICmpInst::isRelational(p) || b.min == 1 || a.max == 6)
            return;
          Moved moved{by, minus, Width};
          Interval there = move(lab.code, a, moved);
          Interval result = clamp_moved(lab.code, a, moved, there, p, b);
          runs([&](Run &run, Ends v, Ends other) {
            if (other.high - other.low > 3)
              return;
            for (int64_t x = v.low; x <= v.high; x++)
              for (int64_t y = least(other); y <= most(other); y++)
                if (compare(p, wrap(minus ? by - x : by + x, Width), y))
                  expect(run, result, x, "clamp_moved", p, v, other);
            narrowed += run.number(result.low) > v.low || run.number(result.high) < v.high;
          });
        });
  assert_true(narrowed > 50000);
}

void differences(void **) {
  for (CmpInst::Predicate p : predicates)
    for_all([&](Lab &lab, Interval a, Interval b, auto &runs) {
      Interval whole = fit(lab.code, add(lab.code, a, negate(lab.code, b)), Width);
      Interval result = clamp_difference(lab.code, whole, p, a);
      runs([&](Run &run, Ends v, Ends other) {
        for (int64_t x = v.low; x <= v.high; x++)
          for (int64_t y = other.low; y <= other.high; y++)
            if (compare(p, x, y))
              expect(run, result, wrap(x - y, Width), "clamp_difference", p, v, other);
        if (p == CmpInst::ICMP_SGE && is_valid(run, result))
          assert_true(run.number(result.low) >= 0);
      });
    });
}

// x - y + by, as the program computes it, of which `all` is known.
void distances(void **) {
  unsigned long narrowed = 0;
  for (CmpInst::Predicate p :
       {CmpInst::ICMP_SGT, CmpInst::ICMP_SGE, CmpInst::ICMP_UGT, CmpInst::ICMP_UGE, CmpInst::ICMP_NE})
    for (int64_t by : {-2, -1, 0, 1, 3})
      for_all([&](Lab &lab, Interval a, Interval b, auto &runs) {
        Interval all = lab.interval({-8, 7, false, true}), x = a, y = b;
        if (ICmpInst::isUnsigned(p))
          x = not_negative(lab.code, x), y = not_negative(lab.code, y);
        Interval distance = fit(lab.code, add(lab.code, x, negate(lab.code, y)), Width);
        distance = fit(lab.code, add(lab.code, distance, constant(lab.code, by)), Width);
        Interval result = clamp_distance(lab.code, all, p, by, distance);
        runs([&](Run &run, Ends v, Ends other) {
          int64_t low = 7, high = -8;
          for (int64_t i = v.low; i <= v.high; i++)
            for (int64_t j = least(other); j <= most(other); j++) {
              int64_t s = wrap(i - j + by, Width);
              low = std::min(low, s), high = std::max(high, s);
            }
          set(run, all, {low, high});
          for (int64_t i = v.low; i <= v.high; i++)
            for (int64_t j = least(other); j <= most(other); j++)
              if (compare(p, i, j))
                expect(run, result, wrap(i - j + by, Width), "clamp_distance", p, v, other);
          narrowed += run.number(result.low) > low;
        });
      });
  assert_true(narrowed > 5000);
}

void possibility(void **) {
  unsigned long excluded = 0;
  for (CmpInst::Predicate p : predicates)
    for_all([&](Lab &lab, Interval a, Interval b, auto &runs) {
      Value *may = may_hold(lab.code, p, a, b);
      runs([&](Run &run, Ends v, Ends other) {
        bool can = !other.valid;
        for (int64_t x = v.low; x <= v.high; x++)
          for (int64_t y = other.low; y <= other.high; y++)
            can |= compare(p, x, y);
        bool claimed = run.holds(may);
        if (can && !claimed) {
          print_error("may_hold: [%lld, %lld] %s [%lld, %lld]%s can hold\n", (long long)v.low, (long long)v.high,
                      CmpInst::getPredicateName(p).str().c_str(), (long long)other.low, (long long)other.high,
                      other.valid ? "" : ", not valid");
          fail();
        }
        excluded += !claimed;
        if (!ICmpInst::isUnsigned(p))
          assert_int_equal(claimed, can);
      });
    });
  assert_true(excluded > 20000);
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(clamping),    cmocka_unit_test(clamping_is_tight), cmocka_unit_test(moved_clamping),
      cmocka_unit_test(differences), cmocka_unit_test(distances),         cmocka_unit_test(possibility),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
