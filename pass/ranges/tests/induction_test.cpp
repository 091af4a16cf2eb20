// induction_test.cpp: each rule of induction.h, compared with the values that
// executed loops of 4 bits have.
#include "pass/ranges/induction.h"
#include "pass/ranges/tests/lab.h"

using namespace cusafe::ranges;
using namespace cusafe::ranges::tests;

namespace {

constexpr unsigned Width = 4;

bool compare(bool isSigned, bool touches, int64_t x,
             int64_t y) { // x < y, or <=
  if (!isSigned)
    x = as_unsigned(x, Width), y = as_unsigned(y, Width);
  return touches ? x <= y : x < y;
}

struct Loop {
  bool up; // while the number is below the end, or above it
  bool touches, isSigned, next;
};

bool continues(const Loop &loop, int64_t value, int64_t following, int64_t end) {
  int64_t compared = loop.next ? following : value;
  return loop.up ? compare(loop.isSigned, loop.touches, compared, end)
                 : compare(loop.isSigned, loop.touches, end, compared);
}

// All values in the header. A loop that does not end has seen all of them after
// 2^4 iterations.
template <typename Step> std::vector<int64_t> values_of(const Loop &loop, int64_t value, int64_t end, Step step) {
  std::vector<int64_t> list;
  for (unsigned i = 0; i <= 1u << Width; i++) {
    list.push_back(value);
    int64_t following = wrap(step(value), Width);
    if (!continues(loop, value, following, end))
      break;
    value = following;
  }
  return list;
}

void expect(Run &run, const Interval &result, int64_t value, const Loop &loop, Ends start, Ends step, Ends end) {
  int64_t low = run.number(result.low), high = run.number(result.high);
  if (value >= low && value <= high && low >= result.min && high <= result.max)
    return;
  print_error("%lld is not in [%lld, %lld] (known: [%lld, %lld]): from [%lld, "
              "%lld] by [%lld, %lld] while%s %s%s [%lld, %lld], %s\n",
              (long long)value, (long long)low, (long long)high, (long long)result.min, (long long)result.max,
              (long long)start.low, (long long)start.high, (long long)step.low, (long long)step.high,
              loop.next ? " the next is" : "", loop.up ? "<" : ">", loop.touches ? "=" : "", (long long)end.low,
              (long long)end.high, loop.isSigned ? "signed" : "unsigned");
  fail();
}

// Ends around a number, which is their least.
std::vector<Ends> near(const Shape &shape, std::initializer_list<int64_t> lengths) {
  std::vector<Ends> list;
  for (int64_t low = shape.min; low <= shape.max; low++)
    for (int64_t length : lengths)
      if (low + length <= shape.max && (!shape.exact || length == 0))
        list.push_back({low, low + length});
  return list;
}

std::vector<Loop> loops(bool up) {
  std::vector<Loop> list;
  for (unsigned bits = 0; bits < 8; bits++)
    list.push_back({up, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
  return list;
}

const Shape any = {-8, 7, false, true}, exactly_any = {-8, 7, true, true}, unsure = {-8, 7, false, false};

using Rule = Interval (*)(Code &, Progression, Limit);

// Returns how often the interval was valid.
unsigned long check_steps(Rule rule, bool up, const Shape &from, const Shape &by, const Shape &until, bool meets) {
  unsigned long valid = 0;
  Lab lab;
  for (const Loop &loop : loops(up)) {
    lab.clear();
    Progression p{lab.interval(from), lab.interval(by), Width};
    Limit limit{lab.interval(until), loop.touches, loop.isSigned, loop.next, meets};
    Interval result = rule(lab.code, p, limit);
    for (const Ends &start : near(from, {0, 1, 4}))
      for (const Ends &step : near(by, {0, 2}))
        for (const Ends &end : near(until, {0, 3})) {
          Run run;
          set(run, limit.end, end), set(run, p.step, step), set(run, p.start, start);
          if (!is_valid(run, result))
            continue;
          valid++;
          for (int64_t s = start.low; s <= start.high; s++)
            for (int64_t d = step.low; d <= step.high; d++)
              for (int64_t e = end.low; e <= end.high; e++) {
                if (meets && (d == 0 || (e - s) % d != 0))
                  continue;
                for (int64_t value : values_of(loop, s, e, [d](int64_t v) { return v + d; }))
                  expect(run, result, value, loop, start, step, end);
              }
        }
  }
  return valid;
}

void rising_numbers(void **) {
  unsigned long valid = 0;
  for (const Shape &from : {any, exactly_any, unsure})
    for (const Shape &until : {any, exactly_any, unsure}) {
      valid += check_steps(rising, true, from, any, until, false);
      valid += check_steps(rising, true, from, {0, 7, false, false}, until, false);
      for (int64_t step = 1; step < 8; step++)
        valid += check_steps(rising, true, from, {step, step, true, true}, until, false);
      for (int64_t step : {1, 2, 4})
        valid += check_steps(rising, true, from, {step, step, true, true}, until, true);
    }
  assert_true(valid > 100000);
}

void falling_numbers(void **) {
  unsigned long valid = 0;
  for (const Shape &from : {any, exactly_any, unsure})
    for (const Shape &until : {any, exactly_any, unsure}) {
      valid += check_steps(falling, false, from, any, until, false);
      valid += check_steps(falling, false, from, {-8, 0, false, false}, until, false);
      for (int64_t step = -8; step < 0; step++)
        valid += check_steps(falling, false, from, {step, step, true, true}, until, false);
    }
  assert_true(valid > 50000);
}

// Where nothing wraps, and there is a second iteration, the interval is valid,
// and has the last value of a loop over every step-th number.
void rising_is_tight(void **) {
  Lab lab;
  for (int64_t by = 1; by < 5; by++)
    for (const Loop &loop : loops(true)) {
      lab.clear();
      Progression p{lab.interval({0, 7, true, true}), constant(lab.code, by), Width};
      Limit limit{lab.interval({0, 7, true, true}), loop.touches, loop.isSigned, loop.next, false};
      Interval result = rising(lab.code, p, limit);
      for (int64_t s = 0; s < 3; s++)
        for (int64_t e = s; e < 8 - 2 * by; e++) {
          Run run;
          set(run, limit.end, {e, e}), set(run, p.start, {s, s});
          std::vector<int64_t> values = values_of(loop, s, e, [by](int64_t v) { return v + by; });
          if (values.size() == 1 || values.back() + by > 7)
            continue;
          assert_true(is_valid(run, result));
          assert_int_equal(run.number(result.low), s);
          assert_int_equal(run.number(result.high), values.back());
        }
    }
}

// Numbers that are multiplied: from 0 or above.
void multiplied_numbers(void **) {
  unsigned long valid = 0;
  Lab lab;
  for (int64_t by : {2, 3, 4, 15}) // 15 is -1 in 4 bits
    for (const Shape &from : {any, exactly_any, unsure})
      for (const Loop &loop : loops(true)) {
        lab.clear();
        Interval start = lab.interval(from), from_0 = not_negative(lab.code, start);
        Limit limit{lab.interval(any), loop.touches, loop.isSigned, loop.next, false};
        Interval result = multiplied(lab.code, from_0, by, Width, limit);
        for (const Ends &first : near(from, {0, 1, 4}))
          for (const Ends &end : near(any, {0, 3})) {
            Run run;
            set(run, limit.end, end), set(run, start, first);
            if (!is_valid(run, result))
              continue;
            valid++;
            for (int64_t s = first.low; s <= first.high; s++)
              for (int64_t e = end.low; e <= end.high; e++)
                for (int64_t value : values_of(loop, s, e, [by](int64_t v) { return v * by; }))
                  expect(run, result, value, loop, first, {by, by}, end);
          }
      }
  assert_true(valid > 200);
}

void divided_numbers(void **) {
  Lab lab;
  for (int64_t by : {2, 3, 4})
    for (const Shape &from : {any, exactly_any, unsure}) {
      lab.clear();
      Interval start = lab.interval(from), result = divided(lab.code, not_negative(lab.code, start));
      for (const Ends &first : all_ends(from)) {
        Run run;
        set(run, start, first);
        assert_int_equal(is_valid(run, result), first.low >= 0);
        for (int64_t s = first.low; s <= first.high && first.low >= 0; s++)
          for (int64_t value = s;; value /= by) {
            expect(run, result, value, {false, false, true, false}, first, {by, by}, {0, 0});
            if (value == 0)
              break;
          }
      }
    }
}

// start + step * k, for k up to a number of iterations; and up to a last value.
void counted_iterations(void **) {
  unsigned long valid = 0;
  Lab lab;
  for (const Shape &from : {any, exactly_any, unsure})
    for (const Shape &by : {any, exactly_any, Shape{0, 3, false, true}, Shape{-8, -1, false, true}}) {
      lab.clear();
      Progression p{lab.interval(from), lab.interval(by), Width};
      Interval count = lab.interval({-1, 9, false, true}), all = iterated(lab.code, p, count);
      Interval last = lab.interval(unsure);
      bool one_way = by.min >= 0 || by.max <= 0;
      Interval ended = one_way ? up_to(lab.code, all, p.step, last) : all;
      for (const Ends &start : near(from, {0, 2}))
        for (const Ends &step : near(by, {0, 1}))
          for (const Ends &upTo : near({-1, 9, false, true}, {0, 3})) {
            Run run;
            set(run, count, upTo), set(run, p.step, step), set(run, p.start, start);
            Ends known{7, -8}; // the last value, as the program computes it; a number of iterations is unsigned
            for (int64_t s = start.low; s <= start.high; s++)
              for (int64_t d = step.low; d <= step.high; d++)
                for (int64_t n = upTo.low; n <= upTo.high; n++) {
                  int64_t value = wrap(s + d * as_unsigned(n, Width), Width);
                  known.low = std::min(known.low, value), known.high = std::max(known.high, value);
                }
            set(run, last, known);
            if (!is_valid(run, all))
              continue;
            valid++;
            for (int64_t s = start.low; s <= start.high; s++)
              for (int64_t d = step.low; d <= step.high; d++)
                for (int64_t n = upTo.low; n <= upTo.high; n++)
                  for (int64_t k = 0; k <= as_unsigned(n, Width); k++) {
                    expect(run, all, wrap(s + d * k, Width), {d > 0, true, true, false}, start, step, upTo);
                    expect(run, ended, wrap(s + d * k, Width), {d > 0, true, true, false}, start, step, upTo);
                  }
            Run other; // a last value that is not known changes nothing
            set(other, count, upTo), set(other, p.step, step), set(other, p.start, start);
            set(other, last, {3, -3, false});
            assert_int_equal(other.number(ended.low), run.number(all.low));
            assert_int_equal(other.number(ended.high), run.number(all.high));
          }
    }
  assert_true(valid > 5000);
}

// The number of iterations of a loop, from the values of a counter in it.
void iterations_from_values(void **) {
  Lab lab;
  for (int64_t by : {1, 2, 3})
    for (const Loop &loop : loops(true)) {
      lab.clear();
      Progression p{lab.interval(any), constant(lab.code, by), Width};
      Limit limit{lab.interval(any), loop.touches, loop.isSigned, loop.next, false};
      Interval all = rising(lab.code, p, limit), count = iterations_of(lab.code, p, all);
      for (const Ends &start : near(any, {0, 2}))
        for (const Ends &end : near(any, {0, 2})) {
          Run run;
          set(run, limit.end, end), set(run, p.start, start);
          if (!is_valid(run, count))
            continue;
          for (int64_t s = start.low; s <= start.high; s++)
            for (int64_t e = end.low; e <= end.high; e++) {
              int64_t iterations = int64_t(values_of(loop, s, e, [by](int64_t v) { return v + by; }).size()) - 1;
              expect(run, count, iterations, loop, start, {by, by}, end);
            }
        }
    }
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(rising_numbers),         cmocka_unit_test(falling_numbers), cmocka_unit_test(rising_is_tight),
      cmocka_unit_test(multiplied_numbers),     cmocka_unit_test(divided_numbers), cmocka_unit_test(counted_iterations),
      cmocka_unit_test(iterations_from_values),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
