// apart.cpp: whether threads stay apart in a buffer.
#include "pass/ranges/apart.h"
#include "pass/ranges/recursion.h"
#include "pass/ranges/stand_ins.h"
#include "pass/ranges/sums.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include <numeric>

using namespace cusafe::ranges;

namespace cusafe::ranges {

// An access at another sum than the writes.
struct Read {
  Sum sum;
  int64_t bytes;
  Value *reached; // i1; null: yes
};

} // namespace cusafe::ranges

struct cs_pass_apart {
  cs_pass_ranges &state;
  Manner manner;
  std::optional<Sum> sum = {};          // of the first access; the indices' ranges are those of all
  int64_t first = 0, last = 0, end = 0; // where accesses start, and the end: bytes, from where the first access starts
  int64_t spacing = 0;                  // the distances of accesses are multiples of this
  int64_t bytes = 0;                    // of the largest access
  llvm::Value *valid = nullptr;
  std::vector<Read> reads = {};
};

namespace cusafe::ranges {

static constexpr int64_t MaxFactor = int64_t(1) << 56, MaxIndex = int64_t(1) << 40, MaxThreads = 1024;
static const char *const Dimensions[] = {"x", "y", "z"};
static const Intrinsic::ID BlockDim[] = {Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                         Intrinsic::nvvm_read_ptx_sreg_ntid_z};
static const Intrinsic::ID GridDim[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                        Intrinsic::nvvm_read_ptx_sreg_nctaid_z};

// ---- every index of a thread is in the sum, or only one thread gets there ----

static bool has_index(const Sum &sum, Index::Kind kind, unsigned dimension) {
  return any_of(sum.terms, [&](const Term &t) {
    return (t.index.kind == kind || t.index.kind == Index::Number) && t.index.dimension == dimension;
  });
}

static Value *is_one(Code &code, Intrinsic::ID count) {
  return code.CreateICmpEQ(code.CreateIntrinsic(count, {}), code.getInt32(1));
}

// threadIdx where the access is: below blockDim, and within what each call that reads it can be there.
static Interval thread_range(const Query &q, unsigned dimension) {
  Code &code = q.code();
  Value *count = code.CreateZExt(code.CreateIntrinsic(BlockDim[dimension], {}), code.getInt64Ty());
  Interval all = between(code, 0, MaxThreads);
  all.high = code.CreateSub(count, number(code, 1));
  for (Instruction &i : instructions(q.state.function)) {
    std::optional<Index> index = index_of(&i);
    Maybe range = index && index->kind == Index::Thread && index->dimension == dimension ? value(q, &i) : Maybe{};
    if (!range)
      continue;
    Value *low = larger(code, all.low, range->low), *high = smaller(code, all.high, range->high);
    all.low = range->valid ? code.CreateSelect(range->valid, low, all.low) : low;
    all.high = range->valid ? code.CreateSelect(range->valid, high, all.high) : high;
  }
  return all;
}

// The threadIdx that the sum does not have are digits with the factor 0: they have to be the same in all accesses.
static void add_missing(const Query &q, Sum &sum, bool of_block) {
  const SCEV *zero = q.state.evolution.getZero(q.code().getInt64Ty());
  for (unsigned d = 0; d < 3; d++) {
    if (!has_index(sum, Index::Thread, d))
      sum.terms.push_back({{Index::Thread, d, nullptr}, zero, thread_range(q, d)});
    if (!of_block && !has_index(sum, Index::Block, d))
      sum.valid = both(q.code(), sum.valid, is_one(q.code(), GridDim[d]));
  }
}

// ---- one access ----

// The same digit in another sum: which loop counts does not matter. Null: there is none, or more than one.
static const Term *find_term(const Sum &in, const Term &term) {
  const Term *found = nullptr;
  for (const Term &t : in.terms) {
    bool counts = t.index.kind == Index::Iterations && term.index.kind == Index::Iterations;
    if (t.factor != term.factor || !(counts || t.index == term.index))
      continue;
    if (found)
      return nullptr;
    found = &t;
  }
  return found;
}

// Bytes from the first access's sum to this one; nothing if they differ in more than a constant.
static std::optional<int64_t> distance(ScalarEvolution &evolution, const Sum &a, const Sum &b) {
  if (a.terms.size() != b.terms.size())
    return {};
  for (const Term &term : a.terms) {
    const Term *there = find_term(b, term);
    if (!there || find_term(a, *there) != &term)
      return {};
  }
  auto *between = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(b.fixed, a.fixed));
  if (!between || between->getAPInt().getSignificantBits() > 40)
    return {};
  return between->getAPInt().getSExtValue();
}

// What is not reached has no index.
static Sum limit_to(const Query &q, Sum sum, Value *reached) {
  Code &code = q.code();
  for (Term &term : sum.terms) {
    Interval range = within(code, term.range, -MaxIndex, MaxIndex);
    sum.valid = both(code, sum.valid, range.valid);
    if (reached) {
      range.low = code.CreateSelect(reached, range.low, number(code, MaxIndex));
      range.high = code.CreateSelect(reached, range.high, number(code, -MaxIndex));
    }
    term.range = range;
  }
  if (reached && sum.valid)
    sum.valid = code.CreateOr(sum.valid, code.CreateNot(reached));
  return sum;
}

static void join(Code &code, Sum &all, const Sum &one) {
  for (Term &term : all.terms) {
    const Term *same = find_term(one, term);
    term.range.low = smaller(code, term.range.low, same->range.low);
    term.range.high = larger(code, term.range.high, same->range.high);
  }
}

static bool add_access(cs_pass_apart &apart, Value *pointer, Value *root, Instruction *user, int64_t bytes,
                       bool is_write) {
  Query q{apart.state, user->getParent()};
  std::optional<Sum> found = sum_of_pointer(q, pointer, root, apart.manner);
  if (!found)
    return false;
  Value *may_reach = reached(apart.state, user->getParent());
  Sum whole = *found;
  add_missing(q, whole, apart.manner.of_block);
  std::optional<int64_t> at = apart.sum ? distance(apart.state.evolution, *apart.sum, whole) : 0;
  if (!at && !is_write) {
    apart.reads.push_back({limit_to(q, *found, may_reach), bytes, may_reach});
    return true;
  }
  Sum sum = limit_to(q, whole, may_reach);
  if (!at)
    return false;
  apart.first = std::min(apart.first, *at);
  apart.last = std::max(apart.last, *at);
  apart.end = std::max(apart.end, *at + bytes);
  apart.spacing = std::gcd(apart.spacing, *at);
  apart.bytes = std::max(apart.bytes, bytes);
  apart.valid = both(q.code(), apart.valid, sum.valid);
  if (apart.sum)
    join(q.code(), *apart.sum, sum);
  else
    apart.sum = sum;
  return true;
}

// ---- the digits ----

struct Digit {
  Value *factor, *count, *weight; // count: of its values, but one; weight: factor * count
};

// The factor, without its sign: digits that count down are as different.
static bool read_digit(const Query &q, const Term &term, Value *&valid, Digit &digit) {
  Code &code = q.code();
  Maybe factor = evolve(q, term.factor);
  if (!factor || !factor->exact())
    return false;
  Interval bounded = within(code, *factor, -MaxFactor, MaxFactor);
  digit.factor = larger(code, bounded.low, code.CreateNeg(bounded.low));
  digit.count = larger(code, code.CreateSub(term.range.high, term.range.low), number(code, 0));
  Interval count{digit.count, digit.count, nullptr, 0, 2 * MaxIndex};
  Interval by{digit.factor, digit.factor, nullptr, 0, MaxFactor};
  Interval weight = within(code, multiply(code, count, by), 0, MaxFactor);
  digit.weight = weight.low;
  valid = both(code, both(code, valid, bounded.valid), weight.valid);
  return true;
}

// i1: the digit's factor is above what the smaller ones add up to. Of equal factors the first counts as smaller.
static Value *is_apart(Code &code, ArrayRef<Digit> digits, unsigned i, Value *bytes) {
  Value *rest = bytes;
  for (unsigned k = 0; k < digits.size(); k++) {
    if (k == i)
      continue;
    Value *smaller = k < i ? code.CreateICmpSLE(digits[k].factor, digits[i].factor)
                           : code.CreateICmpSLT(digits[k].factor, digits[i].factor);
    rest = code.CreateAdd(rest, code.CreateSelect(smaller, digits[k].weight, number(code, 0)));
  }
  return code.CreateOr(code.CreateICmpEQ(digits[i].count, number(code, 0)), code.CreateICmpSGE(digits[i].factor, rest));
}

// ---- reads at another sum ----

// The bytes of all accesses at a sum, without those of one digit of both (or none, if it is null).
struct Span {
  Value *low, *end;
};

static std::optional<Span> span_of(const Query &q, const Sum &sum, const Index *without, int64_t first, int64_t end,
                                   Value *&valid) {
  Code &code = q.code();
  Maybe fixed = evolve(q, sum.fixed);
  if (!fixed || !fixed->exact())
    return {};
  Interval bounded = within(code, *fixed, -MaxFactor, MaxFactor);
  valid = both(code, valid, bounded.valid);
  Span span{code.CreateAdd(bounded.low, number(code, first)), code.CreateAdd(bounded.low, number(code, end))};
  for (const Term &term : sum.terms) {
    Maybe factor = evolve(q, term.factor);
    Digit digit;
    if (!factor || !read_digit(q, term, valid, digit))
      return {};
    if (without && term.index == *without)
      continue;
    Interval index{term.range.low, term.range.low, nullptr, -MaxIndex, MaxIndex};
    Interval start = within(code, multiply(code, index, not_negative(code, *factor)), -MaxFactor, MaxFactor);
    valid = both(code, valid, start.valid);
    span.low = code.CreateAdd(span.low, start.low);
    span.end = code.CreateAdd(span.end, code.CreateAdd(start.low, digit.weight));
  }
  return span;
}

static Value *are_disjoint(Code &code, const Span &a, const Span &b) {
  return code.CreateOr(code.CreateICmpSLE(a.end, b.low), code.CreateICmpSLE(b.end, a.low));
}

// i1: without a digit that both have, or without none, the two are apart, and together within one unit of that digit.
static Value *is_elsewhere(const Query &q, const cs_pass_apart &apart, const Read &read, const Term *common) {
  Code &code = q.code();
  Value *valid = nullptr;
  const Index *index = common ? &common->index : nullptr;
  std::optional<Span> written = span_of(q, *apart.sum, index, apart.first, apart.end, valid);
  std::optional<Span> there = written ? span_of(q, read.sum, index, 0, read.bytes, valid) : std::nullopt;
  if (!there)
    return nullptr;
  Value *is = both(code, valid, are_disjoint(code, *written, *there));
  if (!common)
    return is;
  Digit digit;
  Value *known = nullptr;
  if (!read_digit(q, *common, known, digit))
    return nullptr;
  Value *window = code.CreateSub(larger(code, written->end, there->end), smaller(code, written->low, there->low));
  return both(code, both(code, is, known), code.CreateICmpSLE(window, digit.factor));
}

// Null: not known.
static Value *is_apart_from_writes(const Query &q, const cs_pass_apart &apart, const Read &read) {
  Code &code = q.code();
  Value *any = is_elsewhere(q, apart, read, nullptr);
  for (const Term &term : apart.sum->terms) {
    bool common =
        any_of(read.sum.terms, [&](const Term &t) { return t.index == term.index && t.factor == term.factor; });
    Value *is = common ? is_elsewhere(q, apart, read, &term) : nullptr;
    any = any && is ? code.CreateOr(any, is) : any ? any : is;
  }
  any = any ? both(code, read.sum.valid, any) : nullptr;
  return any && read.reached ? code.CreateOr(any, code.CreateNot(read.reached)) : any;
}

// ---- all of it ----

// Ranges of some blocks of the grid do not say how threads of different parts differ.
static Value *is_whole_grid(cs_pass_ranges &state) {
  Code &code = state.code;
  Type *i64 = code.getInt64Ty();
  Module *module = state.function.getParent();
  Value *is = nullptr;
  for (unsigned d = 0; d < 3; d++) {
    Value *first =
        code.CreateCall(module->getOrInsertFunction((Twine(CS_PASS_FIRST_BLOCK) + Dimensions[d]).str(), i64));
    Value *last = code.CreateCall(module->getOrInsertFunction((Twine(CS_PASS_LAST_BLOCK) + Dimensions[d]).str(), i64));
    Value *count = code.CreateZExt(code.CreateIntrinsic(GridDim[d], {}), i64);
    is = both(code, is, code.CreateICmpEQ(first, number(code, 0)));
    is = both(code, is, code.CreateICmpEQ(code.CreateAdd(last, number(code, 1)), count));
  }
  return is;
}

// Accesses at constant distances are a digit, too, if these are multiples of a number that all accesses fit in.
static bool read_digits(const Query &q, cs_pass_apart &apart, SmallVectorImpl<Digit> &digits) {
  Code &code = q.code();
  for (const Term &term : apart.sum->terms)
    if (!read_digit(q, term, apart.valid, digits.emplace_back()))
      return false;
  if (apart.spacing >= apart.bytes) {
    int64_t span = apart.last - apart.first;
    digits.push_back({number(code, apart.spacing), number(code, span / apart.spacing), number(code, span)});
  } else
    apart.bytes = apart.end - apart.first;
  return true;
}

static Value *are_apart(cs_pass_apart &apart) {
  cs_pass_ranges &state = apart.state;
  Code &code = state.code;
  Query q{state, state.point->getParent()};
  SmallVector<Digit, 8> digits;
  if (!apart.sum || !read_digits(q, apart, digits))
    return nullptr;
  Value *all = both(code, apart.valid, is_whole_grid(state)), *bytes = number(code, apart.bytes);
  for (unsigned i = 0; i < digits.size(); i++)
    all = both(code, all, is_apart(code, digits, i, bytes));
  for (const Read &read : apart.reads) {
    Value *is = is_apart_from_writes(q, apart, read);
    if (!is)
      return nullptr;
    all = both(code, all, is);
  }
  return all;
}

} // namespace cusafe::ranges

extern "C" cs_pass_apart *cs_pass_apart_begin(cs_pass_ranges *ranges, int of_block, int by_number) {
  return new cs_pass_apart{*ranges, {of_block != 0, by_number != 0}};
}

extern "C" int cs_pass_apart_add(cs_pass_apart *apart, LLVMValueRef pointer, LLVMValueRef root, LLVMValueRef user,
                                 unsigned long long bytes, int is_write) {
  return add_access(*apart, unwrap(pointer), unwrap(root), unwrap<Instruction>(user), int64_t(bytes), is_write != 0);
}

extern "C" LLVMValueRef cs_pass_apart_end(cs_pass_apart *apart) {
  Value *all = are_apart(*apart);
  delete apart;
  return wrap(all);
}
