// programs_test.cpp: the whole analysis: programs with numbers of a few bits
// are executed, and each access is where the analysis claims.
#include "pass/ranges/tests/claims.h"
#include "pass/ranges/tests/lab.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/SourceMgr.h"

using namespace cusafe::ranges;
using namespace cusafe::ranges::tests;

namespace {

// Each $name is replaced by its text.
std::string fill(std::string text, const std::map<std::string, std::string> &texts) {
  for (auto &pair : texts)
    for (size_t at; (at = text.find("$" + pair.first)) != std::string::npos;)
      text.replace(at, pair.first.size() + 1, pair.second);
  return text;
}

std::unique_ptr<Module> parse(LLVMContext &context, const std::string &text) {
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  if (!module) {
    error.print("programs_test", errs());
    errs() << text;
    fail();
  }
  return module;
}

struct Counts {
  unsigned long accesses = 0, answered = 0, narrow = 0;
  void add(const Claims &claims) { accesses += claims.accesses, answered += claims.answered, narrow += claims.narrow; }
};

const char *const predicates[] = {"slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "eq", "ne"};

// x is in [a, b] and y in [c, d]: guards say so. The access is at an operation
// of both.
const char guarded[] = R"(
declare i3 @x()
declare i3 @y()
declare i3 @llvm.smin.i3(i3, i3)
declare i3 @llvm.smax.i3(i3, i3)
declare i3 @llvm.umin.i3(i3, i3)
declare i3 @llvm.umax.i3(i3, i3)
declare i3 @llvm.usub.sat.i3(i3, i3)
define void @f(ptr %p, i3 %a, i3 %b, i3 %c, i3 %d) {
  %point = freeze i1 true
  %x = call i3 @x()
  %y = call i3 @y()
  %c1 = icmp $le i3 %a, %x
  %c2 = icmp $le i3 %x, %b
  %c12 = and i1 %c1, %c2
  br i1 %c12, label %next, label %end
next:
  %c3 = icmp $le i3 %c, %y
  %c4 = icmp $le i3 %y, %d
  %c34 = select i1 %c3, i1 %c4, i1 false
  br i1 %c34, label %body, label %end
body:
  $operation
  %e = $ext i3 %z to i64
  %q = getelementptr i8, ptr %p, i64 %e
  store i8 0, ptr %q
  br label %end
end:
  ret void
})";

// All guards with all values that pass them, signed or not.
void run_guarded(const std::string &operation, std::initializer_list<bool> wholes, Counts &counts) {
  for (bool isSigned : {true, false})
    for (bool whole : wholes) {
      LLVMContext context;
      auto module = parse(context, fill(guarded, {{"le", isSigned ? "sle" : "ule"},
                                                  {"ext", isSigned == whole ? "sext" : "zext"},
                                                  {"operation", operation}}));
      Claims claims(*module, whole);
      int64_t first = isSigned ? -4 : 0;
      for (int64_t a = first; a < first + 8; a++)
        for (int64_t b = a; b < first + 8; b++)
          for (int64_t c = first; c < first + 8; c++)
            for (int64_t d = c; d < first + 8; d++)
              for (int64_t x = a; x <= b; x++)
                for (int64_t y = c; y <= d; y++)
                  if (!claims.hold({a, b, c, d}, {{"x", x}, {"y", y}}))
                    fail();
      counts.add(claims);
    }
}

void operations(void **) {
  Counts counts;
  for (const char *op :
       {"add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "or disjoint", "xor", "shl", "lshr", "ashr"})
    run_guarded("%z = " + std::string(op) + " i3 %x, %y", {true, false}, counts);
  for (const char *op : {"smin.i3", "smax.i3", "umin.i3", "umax.i3", "usub.sat.i3"})
    run_guarded("%z = call i3 @llvm." + std::string(op) + "(i3 %x, i3 %y)", {true, false}, counts);
  run_guarded("%t = icmp eq i3 %x, %a\n  %z = select i1 %t, i3 %x, i3 %y", {true, false}, counts);
  run_guarded("%t = zext i3 %x to i5\n  %u = sext i3 %y to i5\n  %v = add i5 "
              "%t, %u\n  %z = trunc i5 %v to i3",
              {true, false}, counts);
  assert_true(counts.answered > counts.accesses / 3);
}

void operations_with_constants(void **) {
  Counts counts;
  for (const char *op :
       {"add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor", "shl", "lshr", "ashr"})
    for (int c : {-4, -2, -1, 1, 2, 3}) {
      bool shifts = op[1] == 'h' || op[1] == 's';
      if (!shifts || (c > 0 && c < 3))
        run_guarded("%z = " + std::string(op) + " i3 %x, " + std::to_string(c), {c > 0}, counts);
    }
  assert_true(counts.answered > counts.accesses / 3);
}

// Of more than 16 bits, a number that is extended with zeros must not be negative.
const char extended[] = R"(
define void @f(ptr %p, i32 %x, i32 %n) {
  %point = freeze i1 true
  br label %body
body:
  %y = add i32 %x, %n
  %e = zext i32 %y to i64
  %q = getelementptr i8, ptr %p, i64 %e
  store i8 0, ptr %q
  ret void
})";

void zero_extension(void **) {
  LLVMContext context;
  auto module = parse(context, extended);
  Claims claims(*module, true);
  const int64_t numbers[] = {INT32_MIN, -9, -3, -2, 0, 7, INT32_MAX - 2, INT32_MAX - 1, INT32_MAX};
  for (int64_t x : numbers)
    for (int64_t n : numbers)
      if (!claims.hold({x, n}, {}))
        fail();
  assert_true(claims.answered > 20);
}

// A comparison of something with x in it, in both directions, holding or not.
const char compared[] = R"(
declare i4 @x()
declare i4 @y()
define void @f(ptr %p, i4 %n) {
  %point = freeze i1 true
  %x = call i4 @x()
  %y = call i4 @y()
  $side
  %c = icmp $predicate i4 $operands
  %small = icmp slt i4 %x, 5
  $join
  br i1 $decides, label $labels
body:
  %z = $result
  %e = $ext i4 %z to i64
  %q = getelementptr i16, ptr %p, i64 %e
  store i8 0, ptr %q
  br label %end
end:
  ret void
})";

void comparisons(void **) {
  Counts counts;
  const std::pair<const char *, const char *> sides[] = {
      {"%s = freeze i4 %x", "%s, %n"},
      {"", "%x, %n"},
      {"", "%x, %y"},
      {"%s = add i4 %x, 3", "%s, %n"},
      {"%s = add i4 %x, -2", "%s, %n"},
      {"%s = sub i4 5, %x", "%s, %n"},
      {"%s = sub i4 -1, %x", "%s, %n"},
      {"%s = sub i4 %x, 3", "%s, %n"},
      {"%s = add i4 %x, %n", "%s, 4"},
      {"%s = add i4 %x, %n", "%s, %y"},
      {"%s = or i4 %x, %y", "%s, -1"},
      {"%s = or i4 %x, %y", "%s, 0"},
  };
  // The programs take turns: seven has no factor in common with the numbers of the others.
  const std::pair<const char *, const char *> joins[] = {
      {"", "%c"},
      {"%j = xor i1 %c, true", "%j"},
      {"%j = and i1 %c, %small", "%j"},
      {"%j = or i1 %c, %small", "%j"},
      {"%j = select i1 %c, i1 %small, i1 false", "%j"},
      {"%j = select i1 %c, i1 true, i1 %small", "%j"},
      {"%j = select i1 %small, i1 false, i1 %c", "%j"},
  };
  size_t programs = 0;
  for (auto &side : sides)
    for (const char *predicate : predicates)
      for (const char *labels : {"%body, label %end", "%end, label %body"})
        for (const char *result : {"add i4 %x, 0", "sub i4 %x, %n", "sub i4 %n, %x", "sub i4 %x, %y"})
          for (bool whole : {true, false})
            for (bool swapped : {false, true}) {
              auto &join = joins[programs++ % std::size(joins)];
              std::string operands = side.second;
              size_t comma = operands.find(',');
              if (swapped)
                operands = operands.substr(comma + 2) + ", " + operands.substr(0, comma);
              LLVMContext context;
              auto module = parse(context, fill(compared, {{"side", side.first},
                                                           {"operands", operands},
                                                           {"predicate", predicate},
                                                           {"labels", labels},
                                                           {"join", join.first},
                                                           {"decides", join.second},
                                                           {"result", result},
                                                           {"ext", swapped ? "zext" : "sext"}}));
              Claims claims(*module, whole);
              for (int64_t n = -8; n < 8; n++)
                for (int64_t x = -8; x < 8; x++)
                  for (int64_t y : {-3, 5})
                    if (!claims.hold({n}, {{"x", x}, {"y", y}}))
                      fail();
              counts.add(claims);
            }
  assert_true(counts.answered > counts.accesses / 3);
}

// A number that changes in a loop, which a comparison of it or of its next
// value ends, before or after the body; accesses at its value in the header, in
// the body, under a condition, and after the loop.
const char loop[] = R"(
define void @f(ptr %p, i4 %start, i4 %end, i4 %s) $attributes {
entry:
  %pw = getelementptr i8, ptr %p, i64 0
  $early
  %t = icmp $guard i4 %start, %end
  br i1 %t, label %before, label %out
before:
  $late
  br label %header
header:
  %i = phi i4 [ $start, %before ], [ %next, %latch ]
  %hp = phi ptr [ %p, %before ], [ %hn, %latch ]
  store i8 0, ptr %hp
  %ih = sext i4 %i to i64
  %ph = getelementptr i8, ptr %p, i64 %ih
  store i8 0, ptr %ph
  %next = $step
  %c = icmp $predicate i4 $compared, %end
  br i1 %c, label $labels
body:
  %ib = zext i4 %i to i64
  %pb = getelementptr i32, ptr %p, i64 %ib
  store i8 0, ptr %pb
  %few = icmp slt i4 %i, 3
  br i1 %few, label %inner, label %latch
inner:
  %in = sext i4 %next to i64
  %pi = getelementptr i8, ptr %p, i64 %in
  store i8 0, ptr %pi
  br label %latch
latch:
  %hn = getelementptr i8, ptr %hp, i64 3
  br label %header
out:
  ret void
})";

bool is_equality(const std::string &predicate) {
  return predicate == "eq" || predicate == "ne";
}

void run_loop(std::map<std::string, std::string> texts, Counts &counts) {
  bool invariant = texts["step"].find("%s") != std::string::npos;
  for (bool whole : {true, false})
    for (bool holds : {true, false}) {
      texts["labels"] = holds ? "%body, label %out" : "%out, label %body";
      texts["attributes"] = holds ? "mustprogress" : ""; // C++'s loops end: LLVM assumes it, and so do the claims
      texts[whole ? "early" : "late"] = "%point = freeze i1 true", texts[whole ? "late" : "early"] = "";
      LLVMContext context;
      auto module = parse(context, fill(loop, texts));
      Claims claims(*module, whole);
      claims.assumes_end = holds && !is_equality(texts["predicate"]);
      for (int64_t start = -8; start < 8; start++)
        for (int64_t end = -8; end < 8; end++)
          for (int64_t s : invariant ? std::vector<int64_t>{-8, -3, 0, 2, 7} : std::vector<int64_t>{0})
            if (!claims.hold({start, end, s}, {}))
              fail();
      counts.add(claims);
    }
}

void loops_with_steps(void **) {
  Counts counts;
  for (const char *predicate : predicates)
    for (const char *compared : {"%i", "%next"})
      for (const char *step : {"add i4 %i, 1", "add i4 %i, 2", "add i4 %i, 3", "add i4 %i, 4", "add i4 %i, -1",
                               "add i4 %i, -3", "add nsw i4 %i, 1", "add i4 %i, %s"})
        run_loop(
            {{"predicate", predicate}, {"compared", compared}, {"step", step}, {"guard", "ne"}, {"start", "%start"}},
            counts);
  assert_true(counts.answered > counts.accesses / 4);
}

void loops_after_a_guard(void **) {
  Counts counts;
  for (const char *predicate : predicates)
    for (const char *guard : {"slt", "ule", "sgt"})
      for (const char *step : {"add i4 %i, 1", "add i4 %i, 2", "add i4 %i, -2"})
        for (const char *start : {"%start", "0", "5"})
          run_loop(
              {{"predicate", predicate}, {"compared", "%next"}, {"step", step}, {"guard", guard}, {"start", start}},
              counts);
  assert_true(counts.answered > counts.accesses / 4);
}

void loops_with_factors(void **) {
  Counts counts;
  for (const char *predicate : predicates)
    for (const char *compared : {"%i", "%next"})
      for (const char *step : {"mul i4 %i, 2", "mul i4 %i, 3", "mul i4 %i, -1", "mul i4 %i, -2", "shl i4 %i, 1",
                               "shl i4 %i, 2", "lshr i4 %i, 1", "ashr i4 %i, 1", "udiv i4 %i, 2", "udiv i4 %i, 15",
                               "sdiv i4 %i, 2", "sdiv i4 %i, 3", "sdiv i4 %i, -2", "sdiv i4 %i, -3"})
        run_loop(
            {{"predicate", predicate}, {"compared", compared}, {"step", step}, {"guard", "ne"}, {"start", "%start"}},
            counts);
  assert_true(counts.answered > counts.accesses / 8);
}

// A pointer that starts at an element whose index is a product with a counter's
// start, and moves as that index does.
const char moving[] = R"(
declare i8 @first()
define void @f(ptr %p, i8 %n, i8 %end, i8 %k) mustprogress {
  %point = freeze i1 true
  %first = call i8 @first()
  %c0 = icmp $guard i8 %first, %end
  br i1 %c0, label %before, label %out
before:
  %m = mul i8 %n, %first
  %index = add i8 %m, %k
  %wide = $ext i8 %index to i64
  %q0 = getelementptr i8, ptr %p, i64 %wide
  %nw = $ext i8 %n to i64
  %by = mul i64 %nw, $times
  br label %header
header:
  %i = phi i8 [ %first, %before ], [ %next, %latch ]
  %q = phi ptr [ %q0, %before ], [ %qn, %latch ]
  %c = icmp $inner i8 %i, %k
  br i1 %c, label %inner, label %latch
inner:
  store i8 0, ptr %q
  br label %latch
latch:
  store i8 0, ptr %q
  %next = add i8 %i, $times
  %qn = getelementptr i8, ptr %q, i64 %by
  %d = icmp $exit i8 %next, %end
  br i1 %d, label %header, label %out
out:
  ret void
})";

void pointers_along_counters(void **) {
  Counts counts;
  for (const char *guard : {"slt", "ult"})
    for (const char *ext : {"sext", "zext"})
      for (const char *times : {"1", "2", "4"})
        for (const char *inner : {"slt", "ugt", "ne"})
          for (const char *exit : {"slt", "sle", "ult", "ne"}) {
            LLVMContext context;
            auto module = parse(
                context,
                fill(moving, {{"guard", guard}, {"ext", ext}, {"times", times}, {"inner", inner}, {"exit", exit}}));
            Claims claims(*module, true);
            claims.assumes_end = !is_equality(exit);
            for (int64_t n : {-100, -3, 0, 1, 2, 30})
              for (int64_t end : {-128, -3, 0, 5, 8, 127})
                for (int64_t k : {-120, -1, 0, 3, 100})
                  for (int64_t first : {-128, -4, 0, 1, 4, 126})
                    if (!claims.hold({n, end, k}, {{"first", first}}))
                      fail();
            counts.add(claims);
          }
  assert_true(counts.answered > counts.accesses / 50);
}

} // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(zero_extension),
      cmocka_unit_test(operations),
      cmocka_unit_test(operations_with_constants),
      cmocka_unit_test(comparisons),
      cmocka_unit_test(loops_with_steps),
      cmocka_unit_test(loops_after_a_guard),
      cmocka_unit_test(loops_with_factors),
      cmocka_unit_test(pointers_along_counters),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
