// sums.cpp: numbers as sums of products with indices of the thread and counters of its loops.
#include "pass/ranges/sums.h"
#include "pass/ranges/launch.h"
#include "pass/ranges/point.h"
#include "pass/ranges/recursion.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

namespace cusafe::ranges {

using MaybeSum = std::optional<Sum>;

static constexpr unsigned MaxOffset = 40, MaxTerms = 8; // bits; terms

// ---- arithmetic ----

static Sum constant_sum(const Query &q, const SCEV *fixed) {
  return {q.state.evolution.getNoopOrSignExtend(fixed, q.code().getInt64Ty()), {}, nullptr};
}

static void drop_zeros(Sum &sum) {
  erase_if(sum.terms, [](const Term &t) { return t.factor->isZero(); });
}

static MaybeSum plus(const Query &q, Sum a, const Sum &b) {
  ScalarEvolution &evolution = q.state.evolution;
  a.fixed = evolution.getAddExpr(a.fixed, b.fixed);
  a.valid = both(q.code(), a.valid, b.valid);
  for (const Term &term : b.terms) {
    auto *same = find_if(a.terms, [&](const Term &t) { return t.index == term.index; });
    if (same == a.terms.end())
      a.terms.push_back(term);
    else
      same->factor = evolution.getAddExpr(same->factor, term.factor);
  }
  drop_zeros(a);
  return a.terms.size() <= MaxTerms ? MaybeSum(a) : MaybeSum();
}

static Sum times(const Query &q, Sum a, const SCEV *factor) {
  ScalarEvolution &evolution = q.state.evolution;
  a.fixed = evolution.getMulExpr(a.fixed, factor);
  for (Term &term : a.terms)
    term.factor = evolution.getMulExpr(term.factor, factor);
  drop_zeros(a);
  return a;
}

static const SCEV *whole(const Query &q, int64_t number) {
  return q.state.evolution.getConstant(q.code().getInt64Ty(), uint64_t(number), true);
}

// ---- indices of the thread ----

std::optional<Index> index_of(Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  if (!call)
    return {};
  switch (call->getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return Index{Index::Thread, 0, nullptr};
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return Index{Index::Thread, 1, nullptr};
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return Index{Index::Thread, 2, nullptr};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return Index{Index::Block, 0, nullptr};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return Index{Index::Block, 1, nullptr};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return Index{Index::Block, 2, nullptr};
  default:
    return {};
  }
}

static MaybeSum index(const Query &q, Value *v, Index index, Manner manner) {
  if (manner.of_block && index.kind == Index::Block)
    return constant_sum(q, q.state.evolution.getSCEV(v));
  Maybe range = value(q, v);
  if (!range)
    return {};
  return Sum{whole(q, 0), {{index, whole(q, 1), *range}}, range->valid};
}

// i1: blockDim in this dimension is at most the number.
static Value *holds_block(const Query &q, unsigned dimension, const Interval &number) {
  static const Intrinsic::ID counts[] = {Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                         Intrinsic::nvvm_read_ptx_sreg_ntid_z};
  Code &code = q.code();
  Value *count = code.CreateZExt(code.CreateIntrinsic(counts[dimension], {}), code.getInt64Ty());
  return both(code, number.valid, code.CreateICmpSLE(count, number.low));
}

// Conditions may have narrowed what the sum can be more than the index in it.
static Interval range_without(const Query &q, const Interval &sum, const Interval &fixed) {
  return add(q.code(), sum, negate(q.code(), fixed));
}

static bool is_number_factor(const SCEV *factor, Manner manner) {
  while (auto *cast = dyn_cast<SCEVCastExpr>(factor))
    factor = cast->getOperand();
  auto *value = dyn_cast<SCEVUnknown>(factor);
  return value ? is_of_grid(value->getValue()) : isa<SCEVConstant>(factor) && manner.by_number;
}

// blockIdx * factor + threadIdx becomes one index.
static Sum merge_number(const Query &q, Value *v, Sum sum, Manner manner) {
  if (sum.terms.size() != 2)
    return sum;
  unsigned block = sum.terms[0].index.kind == Index::Block ? 0 : 1;
  const Term &b = sum.terms[block], &t = sum.terms[1 - block];
  if (b.index.kind != Index::Block || t.index.kind != Index::Thread || b.index.dimension != t.index.dimension ||
      !t.factor->isOne() || !is_number_factor(b.factor, manner))
    return sum;
  Maybe factor = evolve(q, b.factor), range = value(q, v), fixed = evolve(q, sum.fixed);
  if (!factor || !factor->exact() || !range || !fixed || !fixed->exact())
    return sum;
  Interval index = range_without(q, *range, *fixed);
  Value *valid = both(q.code(), both(q.code(), sum.valid, index.valid), holds_block(q, b.index.dimension, *factor));
  return {sum.fixed, {{{Index::Number, b.index.dimension, b.factor}, whole(q, 1), index}}, valid};
}

// An index and a number that is the same for all threads.
static Sum narrow_index(const Query &q, Value *v, Sum sum) {
  if (sum.terms.size() != 1 || !sum.terms[0].factor->isOne() || sum.fixed->isZero())
    return sum;
  Maybe range = value(q, v), fixed = evolve(q, sum.fixed);
  if (range && fixed && fixed->exact()) {
    Interval other = range_without(q, *range, *fixed), &index = sum.terms[0].range;
    index.high = smaller(q.code(), index.high, other.high);
    sum.valid = both(q.code(), sum.valid, other.valid);
  }
  return sum;
}

// ---- operations ----

static MaybeSum convert(const Query &q, CastInst *cast, Manner manner) {
  Value *from = cast->getOperand(0);
  MaybeSum sum = sum_of(q.deeper(), from, manner);
  if (!sum || isa<SExtInst>(cast))
    return sum;
  Maybe range = value(q, from);
  if (!range || !(isa<ZExtInst>(cast) || isa<TruncInst>(cast)))
    return {};
  Interval kept = isa<ZExtInst>(cast) ? not_negative(q.code(), *range)
                                      : fit(q.code(), *range, cast->getType()->getIntegerBitWidth());
  sum->valid = both(q.code(), sum->valid, kept.valid);
  return sum;
}

static MaybeSum combined(const Query &q, BinaryOperator *op, const Sum &a, const Sum &b) {
  switch (op->getOpcode()) {
  case Instruction::Add:
  case Instruction::Or:
    return plus(q, a, b);
  case Instruction::Sub:
    return plus(q, a, times(q, b, whole(q, -1)));
  case Instruction::Mul:
    return a.terms.empty()   ? MaybeSum(times(q, b, a.fixed))
           : b.terms.empty() ? MaybeSum(times(q, a, b.fixed))
                             : MaybeSum();
  default: // Shl
    return times(q, a, whole(q, int64_t(1) << cast<ConstantInt>(op->getOperand(1))->getZExtValue()));
  }
}

// The operation in whole numbers, from what its operands can be.
static Maybe result_of(const Query &q, BinaryOperator *op) {
  Code &code = q.code();
  Maybe a = value(q, op->getOperand(0)), b = value(q, op->getOperand(1));
  if (!a || !b)
    return {};
  switch (op->getOpcode()) {
  case Instruction::Add:
    return add(code, *a, *b);
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(op)->isDisjoint() ? Maybe(add(code, *a, *b)) : Maybe();
  case Instruction::Sub:
    return add(code, *a, negate(code, *b));
  case Instruction::Mul:
    return multiply(code, *a, *b);
  case Instruction::Shl:
    return b->is_constant() && b->min >= 0 && b->min < 31
               ? Maybe(multiply(code, *a, constant(code, int64_t(1) << b->min)))
               : Maybe();
  default:
    return {};
  }
}

static MaybeSum binary(const Query &q, BinaryOperator *op, Manner manner) {
  Maybe result = result_of(q, op);
  MaybeSum a = result ? sum_of(q.deeper(), op->getOperand(0), manner) : MaybeSum();
  MaybeSum b = a ? sum_of(q.deeper(), op->getOperand(1), manner) : MaybeSum();
  MaybeSum sum = b ? combined(q, op, *a, *b) : MaybeSum();
  if (!sum)
    return {};
  sum->valid = both(q.code(), both(q.code(), a->valid, b->valid),
                    fit(q.code(), *result, op->getType()->getIntegerBitWidth()).valid);
  return narrow_index(q, op, merge_number(q, op, *sum, manner));
}

// A counter is where it starts, plus its step times the number of iterations so far.
static MaybeSum counted(const Query &q, PHINode *phi, Manner manner) {
  Code &code = q.code();
  ScalarEvolution &evolution = q.state.evolution;
  Loop *loop = q.state.analyses.loops.getLoopFor(phi->getParent());
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
  BasicBlock *before = loop && loop->getHeader() == phi->getParent() ? loop->getLoopPredecessor() : nullptr;
  if (!before || !recurrence || recurrence->getLoop() != loop || !recurrence->isAffine())
    return {};
  Query there = q.in(before);
  Value *first = phi->getIncomingValueForBlock(before);
  const SCEV *by = recurrence->getStepRecurrence(evolution);
  Maybe all = counter(q.deeper(), phi, loop), range = value(q, phi), start = value(there, first);
  Maybe step = evolve(there, by);
  MaybeSum sum = all && range && start && step && step->exact() ? sum_of(there.deeper(), first, manner) : MaybeSum();
  if (!sum)
    return {};
  Value *way = code.CreateSub(range->high, start->low);
  Value *valid = both(code, both(code, range->valid, start->valid), all->valid);
  Interval most = quotient(code, within(code, {way, way, valid, INT64_MIN, INT64_MAX}, 0, MaxNumber), *step);
  most.low = number(code, 0);
  Sum moved{whole(q, 0),
            {{{Index::Iterations, 0, phi}, evolution.getNoopOrSignExtend(by, code.getInt64Ty()), most}},
            most.valid};
  return plus(q, *sum, moved);
}

MaybeSum sum_of(const Query &q, Value *v, Manner manner) {
  if (q.depth > MaxDepth || !v->getType()->isIntegerTy() || v->getType()->getIntegerBitWidth() > 64)
    return {};
  if (isa<ConstantInt>(v) || (!isa<Constant>(v) && value_at_point(q.state, v))) {
    Maybe known = value(q, v);
    Sum sum = constant_sum(q, q.state.evolution.getSCEV(v));
    sum.valid = known ? known->valid : nullptr;
    return known ? MaybeSum(sum) : MaybeSum();
  }
  if (std::optional<Index> i = index_of(v))
    return index(q, v, *i, manner);
  if (auto *cast = dyn_cast<CastInst>(v))
    return convert(q, cast, manner);
  if (auto *op = dyn_cast<BinaryOperator>(v))
    return binary(q, op, manner);
  if (auto *phi = dyn_cast<PHINode>(v))
    return counted(q, phi, manner);
  return isa<FreezeInst>(v) ? sum_of(q.deeper(), cast<Instruction>(v)->getOperand(0), manner) : MaybeSum();
}

static MaybeSum step(const Query &q, GEPOperator *gep, const Sum &base, Manner manner) {
  const DataLayout &layout = q.state.function.getDataLayout();
  SmallMapVector<Value *, APInt, 4> parts;
  APInt fixed(layout.getIndexTypeSizeInBits(gep->getType()), 0);
  if (!gep->collectOffset(layout, fixed.getBitWidth(), parts, fixed) || fixed.getSignificantBits() > MaxOffset)
    return {};
  MaybeSum sum = plus(q, base, constant_sum(q, whole(q, fixed.getSExtValue())));
  for (auto &part : parts) {
    MaybeSum index = part.second.getSignificantBits() <= MaxOffset ? sum_of(q, part.first, manner) : MaybeSum();
    if (!sum || !index)
      return {};
    sum = plus(q, *sum, times(q, *index, whole(q, part.second.getSExtValue())));
  }
  return sum;
}

MaybeSum sum_of_pointer(const Query &q, Value *pointer, Value *root, Manner manner) {
  if (pointer == root)
    return constant_sum(q, whole(q, 0));
  if (q.depth > MaxDepth)
    return {};
  if (auto *gep = dyn_cast<GEPOperator>(pointer)) {
    MaybeSum base = sum_of_pointer(q.deeper(), gep->getPointerOperand(), root, manner);
    return base ? step(q, gep, *base, manner) : MaybeSum();
  }
  auto *op = dyn_cast<Operator>(pointer);
  bool same = op && (op->getOpcode() == Instruction::AddrSpaceCast || op->getOpcode() == Instruction::BitCast ||
                     op->getOpcode() == Instruction::Freeze);
  return same ? sum_of_pointer(q.deeper(), op->getOperand(0), root, manner) : MaybeSum();
}

} // namespace cusafe::ranges
