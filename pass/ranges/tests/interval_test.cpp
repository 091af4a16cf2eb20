// interval_test.cpp: each rule of interval.h, run for all small intervals and
// compared with all numbers in them; and at the ends of 62 bits.
#include "pass/ranges/tests/lab.h"
#include <algorithm>

using namespace cusafe::ranges;
using namespace cusafe::ranges::tests;

namespace {

constexpr unsigned Width = 4; // of the program's numbers, where they wrap

// What the program computes of x and y; nothing where that is undefined.
using Operation = std::function<std::optional<Wide>(int64_t x, int64_t y)>;
using Emit = std::function<Maybe(Code &, Interval, Interval)>;

struct Rule {
  const char *name;
  bool binary;
  Emit emit;
  Operation of;
  // Where the rule is tight: the result as a whole number. The interval is
  // valid exactly if all of those are between the limits, and its ends are
  // among them. Null: the rule gives bounds only.
  Operation whole;
  int64_t min = -MaxNumber, max = MaxNumber;
};

int64_t unsigned_remainder(int64_t x, int64_t y) {
  return wrap(as_unsigned(x, Width) % as_unsigned(y, Width), Width);
}

std::vector<Rule> rules() {
  auto plain = [](auto f) { return [f](int64_t x, int64_t y) -> std::optional<Wide> { return f(Wide(x), Wide(y)); }; };
  auto divisor = [](auto f) {
    return [f](int64_t x, int64_t y) -> std::optional<Wide> {
      return y == 0 ? std::optional<Wide>() : std::optional<Wide>(f(x, y));
    };
  };
  Operation sum = plain([](Wide x, Wide y) { return x + y; }), product = plain([](Wide x, Wide y) { return x * y; });
  Operation difference = plain([](Wide x, Wide y) { return x - y; }), same = plain([](Wide x, Wide) { return x; });
  Operation opposite = plain([](Wide x, Wide) { return -x; });
  Operation smallest = plain([](Wide x, Wide y) { return std::min(x, y); });
  Operation largest = plain([](Wide x, Wide y) { return std::max(x, y); });
  Operation signed_quotient = divisor([](int64_t x, int64_t y) { return x / y; });
  Operation unsigned_quotient =
      divisor([](int64_t x, int64_t y) { return wrap(as_unsigned(x, Width) / as_unsigned(y, Width), Width); });
  auto wrapped = [](Operation f, unsigned width) -> Operation {
    return [f, width](int64_t x, int64_t y) -> std::optional<Wide> { return wrap(int64_t(*f(x, y)), width); };
  };
  std::vector<Rule> list = {
      {"add", true, add, sum, sum},
      {"multiply", true, multiply, product, product},
      {"minimum", true, cusafe::ranges::minimum, smallest, smallest},
      {"maximum", true, cusafe::ranges::maximum, largest, largest},
      {"negate", false, [](Code &c, Interval a, Interval) { return negate(c, a); }, opposite, opposite},
      {"unite, the first", true, unite, same, nullptr},
      {"unite, the second", true, unite, plain([](Wide, Wide y) { return y; }), nullptr},
      {"sum of 4 bits", true, [](Code &c, Interval a, Interval b) { return fit(c, add(c, a, b), Width); },
       wrapped(sum, Width), sum, -8, 7},
      {"difference of 4 bits", true,
       [](Code &c, Interval a, Interval b) { return fit(c, add(c, a, negate(c, b)), Width); },
       wrapped(difference, Width), difference, -8, 7},
      {"product of 4 bits", true, [](Code &c, Interval a, Interval b) { return fit(c, multiply(c, a, b), Width); },
       wrapped(product, Width), product, -8, 7},
      {"truncation to 3 bits", false, [](Code &c, Interval a, Interval) { return fit(c, a, 3); }, wrapped(same, 3),
       same, -4, 3},
      {"zero extension", false, [](Code &c, Interval a, Interval) { return not_negative(c, a); },
       plain([](Wide x, Wide) { return as_unsigned(int64_t(x), Width); }), same, 0, 7},
      {"quotient, signed", true, quotient, signed_quotient, nullptr},
      {"quotient, unsigned", true, quotient, unsigned_quotient, nullptr},
      {"bound of a quotient, signed", true, quotient_bound, signed_quotient, nullptr},
      {"bound of a quotient, unsigned", true, quotient_bound, unsigned_quotient, nullptr},
      {"remainder, signed", true, remainder, divisor([](int64_t x, int64_t y) { return x % y; }), nullptr},
      {"remainder, unsigned", true, remainder, divisor(unsigned_remainder), nullptr},
      {"or", true, bitwise, plain([](Wide x, Wide y) { return x | y; }), nullptr},
      {"exclusive or", true, bitwise, plain([](Wide x, Wide y) { return x ^ y; }), nullptr},
      {"both", true, [](Code &c, Interval a, Interval b) { return intersect(c, a, b); },
       [](int64_t x, int64_t y) { return x == y ? std::optional<Wide>(x) : std::nullopt; }, nullptr},
  };
  for (int64_t x = -8; x < 8; x++)
    list.push_back(
        {"remainder of any number", false, [](Code &c, Interval a, Interval) { return remainder_of_any(c, a); },
         [x](int64_t y, int64_t) { return y == 0 ? std::nullopt : std::optional<Wide>(unsigned_remainder(x, y)); },
         nullptr});
  for (int64_t by : {1, 2, 3, 5, 8}) {
    Operation quotient = [by](int64_t x, int64_t) { return x / by; };
    list.push_back({"division by a constant", false, [by](Code &c, Interval a, Interval) { return divide(c, a, by); },
                    quotient, quotient});
  }
  for (unsigned by = 0; by < 4; by++) {
    Operation shifted = [by](int64_t x, int64_t) { return x >> by; };
    list.push_back({"shift to the right", false, [by](Code &c, Interval a, Interval) { return shift_right(c, a, by); },
                    shifted, shifted});
  }
  for (int64_t mask = -8; mask < 8; mask++)
    list.push_back({"mask", false, [mask](Code &c, Interval a, Interval) { return masked(c, a, mask); },
                    [mask](int64_t x, int64_t) { return x & mask; }, nullptr});
  for (unsigned bits = 1; bits < 5; bits++)
    list.push_back({"low bits", false, [bits](Code &c, Interval a, Interval) { return low_bits(c, a, bits); },
                    [bits](int64_t x, int64_t) { return as_unsigned(x, bits); }, nullptr});
  return list;
}

const Shape shapes[] = {
    {-8, 7, false, true}, {0, 7, false, true},  {-8, -1, false, true}, {-3, 4, false, false},
    {1, 6, false, false}, {-8, 0, false, true}, {2, 5, false, false},  {-8, 7, true, true},
    {0, 7, true, false},  {-8, -1, true, true}, {3, 3, true, true},
};

void complain(const Rule &rule, const Ends &a, const Ends &b, const char *what) {
  print_error("%s: %s, for [%lld, %lld] and [%lld, %lld]\n", rule.name, what, (long long)a.low, (long long)a.high,
              (long long)b.low, (long long)b.high);
  fail();
}

// The least and the largest result of numbers in the two intervals.
std::pair<Wide, Wide> hull(const Operation &of, const Ends &a, const Ends &b) {
  Wide low = INT64_MAX, high = INT64_MIN;
  for (int64_t x = a.low; x <= a.high; x++)
    for (int64_t y = b.low; y <= b.high; y++)
      if (std::optional<Wide> one = of(x, y))
        low = std::min(low, *one), high = std::max(high, *one);
  return {low, high};
}

void check(const Rule &rule, Run &run, const Interval &result, const Ends &a, const Ends &b) {
  bool valid = is_valid(run, result);
  int64_t low = run.number(result.low), high = run.number(result.high);
  if (rule.whole) {
    auto [least, most] = hull(rule.whole, a, b);
    if (valid != (least >= rule.min && most <= rule.max))
      complain(rule, a, b, valid ? "is valid" : "is not valid");
    if (valid && (least != low || most != high))
      complain(rule, a, b, "has other ends");
  }
  auto [least, most] = hull(rule.of, a, b);
  if (valid && least <= most && (least < low || most > high))
    complain(rule, a, b, "misses a result");
  if (valid && (low < result.min || high > result.max))
    complain(rule, a, b, "has ends outside of min and max");
}

void small_numbers(void **) {
  Lab lab;
  unsigned long runs = 0;
  for (const Rule &rule : rules())
    for (const Shape &s : shapes)
      for (const Shape &t : shapes) {
        if (!rule.binary && &t != shapes)
          break;
        lab.clear();
        Interval a = lab.interval(s), b = rule.binary ? lab.interval(t) : a;
        Maybe result = rule.emit(lab.code, a, b);
        if (!result)
          continue;
        for (const Ends &x : all_ends(s))
          for (const Ends &y : rule.binary ? all_ends(t) : std::vector<Ends>{{0, 0}}) {
            Run run;
            if (rule.binary)
              set(run, b, y);
            set(run, a, x);
            check(rule, run, *result, x, y);
            runs++;
          }
      }
  assert_true(runs > 1000000);
}

// An operand that is not valid makes the result invalid, unless the result does
// not depend on it.
void invalid_operands(void **) {
  Lab lab;
  const Shape unsure = {-8, 7, false, false}, exact = {-8, 7, true, false}, sure = {1, 6, false, true};
  for (const Rule &rule : rules())
    for (const Shape &s : {unsure, exact})
      for (bool second : {false, true}) {
        std::string name = rule.name;
        bool bounds_anything = name == "mask" || name == "low bits" || name == "both";
        if ((second && !rule.binary) || bounds_anything)
          continue;
        lab.clear();
        Interval a = lab.interval(second ? sure : s), b = rule.binary ? lab.interval(second ? s : sure) : a;
        Maybe result = rule.emit(lab.code, a, b);
        if (!result)
          continue;
        Run run;
        set(run, a, {2, 2, second});
        if (rule.binary)
          set(run, b, {2, 2, !second});
        if (is_valid(run, *result))
          complain(rule, {2, 2}, {2, 2}, "is valid, and an operand is not");
      }
}

// Where one is not valid, its ends say nothing: the other remains.
void intersection_with_invalid(void **) {
  Lab lab;
  const Shape shape = {-8, 7, false, false};
  Interval a = lab.interval(shape), b = lab.interval(shape), result = intersect(lab.code, a, b);
  for (const Ends &other : all_ends(shape))
    for (bool first : {false, true}) {
      Run run;
      set(run, a, first ? Ends{5, -5, false} : other);
      set(run, b, first ? other : Ends{5, -5, false});
      assert_true(is_valid(run, result));
      assert_int_equal(run.number(result.low), other.low);
      assert_int_equal(run.number(result.high), other.high);
    }
  Run run;
  set(run, a, {0, 0, false}), set(run, b, {0, 0, false});
  assert_false(is_valid(run, result));
}

// A mask and a number of low bits bound any number, and one that is not valid.
void bits_of_any_number(void **) {
  Lab lab;
  for (int64_t mask = 0; mask < 8; mask++) {
    Maybe any = masked(lab.code, {}, mask);
    assert_true(any && any->valid == nullptr && any->min == 0 && any->max == mask);
  }
  assert_false(masked(lab.code, {}, -4).has_value());
  for (unsigned bits = 1; bits < 5; bits++) {
    Interval a = lab.interval({-8, 7, false, false});
    for (const Interval &i : {low_bits(lab.code, {}, bits), low_bits(lab.code, a, bits)}) {
      Run run;
      set(run, a, {3, -3, false});
      assert_true(is_valid(run, i) && run.number(i.low) <= 0 && run.number(i.high) >= (1 << bits) - 1);
    }
  }
}

// Numbers at which 62 bits end, and products reach them: what is valid is
// right, computed with 128 bits.
void large_numbers(void **) {
  constexpr int64_t Max = MaxNumber, Half = Max / 2, Root = int64_t(1) << 31;
  const int64_t numbers[] = {INT64_MIN, -Max,     -Max + 1, -Half - 1, -Half,   -Half + 1, -Root - 1, -Root,
                             -Root + 1, -3,       -1,       0,         1,       2,         Root - 1,  Root,
                             Root + 1,  Half - 1, Half,     Half + 1,  Max - 1, Max,       INT64_MAX};
  const Shape wide[] = {{-Max, Max, false, false},          {-Max, Max, true, true},   {0, Max, false, true},
                        {-Root, Root, false, true},         {0, Root - 1, true, true}, {-Half, Half, false, true},
                        {INT64_MIN, INT64_MAX, true, false}};
  Lab lab;
  unsigned long valid = 0;
  for (const Rule &rule : rules()) {
    std::string name = rule.name;
    if (name != "add" && name != "multiply" && name != "negate" && name != "minimum" && name != "maximum")
      continue;
    for (Shape s : wide)
      for (Shape t : wide) {
        lab.clear();
        // Numbers of 64 bits enter through within(), as values at the point do.
        Interval a = lab.interval(s), b = lab.interval(t);
        Maybe result = rule.emit(lab.code, within(lab.code, a, -Max, Max), within(lab.code, b, -Max, Max));
        for (int64_t al : numbers)
          for (int64_t ah : numbers)
            for (int64_t bl : numbers)
              for (int64_t bh : numbers) {
                bool in_shape = al >= s.min && ah <= s.max && al <= ah && (!s.exact || al == ah) && bl >= t.min &&
                                bh <= t.max && bl <= bh && (!t.exact || bl == bh);
                if (!in_shape)
                  continue;
                Run run;
                set(run, b, {bl, bh}), set(run, a, {al, ah});
                if (!is_valid(run, *result))
                  continue;
                valid++;
                int64_t low = run.number(result->low), high = run.number(result->high);
                for (int64_t x : {al, ah})
                  for (int64_t y : {bl, bh}) {
                    Wide one = *rule.of(x, y);
                    if (one < low || one > high || low < result->min || high > result->max)
                      complain(rule, {al, ah}, {bl, bh}, "misses a result");
                  }
              }
      }
  }
  assert_true(valid > 100000);
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(small_numbers),      cmocka_unit_test(invalid_operands),
      cmocka_unit_test(bits_of_any_number), cmocka_unit_test(intersection_with_invalid),
      cmocka_unit_test(large_numbers),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
