// bridge_range.cpp: the arithmetic behind range.h: intervals of whole numbers, computed by code that is added to the program.
//
// An interval holds for every execution of a value in a context (a basic block): all rounds of the loops around it that do not
// contain the place, and, for a whole block, all threads. What dominates the context narrows it: inside `if (i < n)`, i is below
// n. If the context is never reached an interval may be nonsense, which is why a use of it is excused when it is not reached.
#include "pass/analyses.h"
#include "pass/range.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"
#include <numeric>
#include <optional>

using namespace llvm;

namespace {

using Wide = __int128;

// 62 bits: sums of two such numbers still fit 64.
constexpr int64_t Most = (int64_t(1) << 62) - 1;
constexpr int64_t Factor = int64_t(1) << 31; // the product of two such numbers does, too
constexpr unsigned Depth = 32, Budget = 3000, Narrow = 20;

struct Interval {
  Value *low, *high;   // i64
  Value *valid;        // i1, or null: always
  int64_t least, most; // known while compiling; hold where `valid` does
  bool exact() const { return low == high; }
};
using Maybe = std::optional<Interval>;

struct Guard {
  ICmpInst *compare;
  bool holds;
  BasicBlock *at;
};

bool fitsWord(Wide value) {
  return value >= -Wide(Most) && value <= Wide(Most);
}
int64_t leastOf(unsigned width) {
  return width >= 63 || width == 0 ? -Most : -(int64_t(1) << (width - 1));
}
int64_t mostOf(unsigned width) {
  return width >= 63 || width == 0 ? Most : (int64_t(1) << (width - 1)) - 1;
}

} // namespace

struct cs_ranges {
  Function &function;
  const cs_analyses &analyses;
  ScalarEvolution &evolution;
  Instruction *place;
  bool whole;
  IRBuilder<> builder;
  IntegerType *word;
  unsigned spent = 0;
  DenseMap<std::pair<Value *, BasicBlock *>, Maybe> memo;
  DenseMap<BasicBlock *, SmallVector<Guard, 4>> guards;
  DenseMap<BasicBlock *, Value *> reachedMemo;
  DenseMap<Value *, Value *> atPlace;

  cs_ranges(const cs_analyses &a, Instruction *p, bool w)
      : function(*p->getFunction()), analyses(a), evolution(a.evolution), place(p), whole(w), builder(p),
        word(Type::getInt64Ty(p->getContext())) {
    DISubprogram *program = function.getSubprogram();
    builder.SetCurrentDebugLocation(program ? DebugLoc(DILocation::get(p->getContext(), 0, 0, program)) : DebugLoc());
  }

  // ---- small pieces ----
  Value *number(int64_t value) { return ConstantInt::getSigned(word, value); }
  Value *both(Value *a, Value *b) { return !a ? b : !b ? a : builder.CreateAnd(a, b); }
  Value *smaller(Value *a, Value *b) { return a == b ? a : builder.CreateBinaryIntrinsic(Intrinsic::smin, a, b); }
  Value *larger(Value *a, Value *b) { return a == b ? a : builder.CreateBinaryIntrinsic(Intrinsic::smax, a, b); }
  Interval constant(int64_t value) { return {number(value), number(value), nullptr, value, value}; }

  // Makes the interval invalid unless it lies between the two; what is known already is not computed.
  Interval within(Interval i, int64_t least, int64_t most) {
    if (i.least < least) {
      i.valid = both(i.valid, builder.CreateICmpSGE(i.low, number(least)));
      i.least = least;
    }
    if (i.most > most) {
      i.valid = both(i.valid, builder.CreateICmpSLE(i.high, number(most)));
      i.most = most;
    }
    if (i.least > i.most) // never valid; keep the bounds in order
      i.least = i.most;
    return i;
  }
  Interval fit(Interval i, unsigned width) { return within(i, leastOf(width), mostOf(width)); }

  Interval add(Interval a, Interval b) {
    Wide least = Wide(a.least) + b.least, most = Wide(a.most) + b.most;
    if (!fitsWord(least) || !fitsWord(most)) {
      a = within(a, -Most / 2, Most / 2);
      b = within(b, -Most / 2, Most / 2);
      least = Wide(a.least) + b.least, most = Wide(a.most) + b.most;
    }
    bool exact = a.exact() && b.exact();
    Value *low = builder.CreateAdd(a.low, b.low);
    return {low, exact ? low : builder.CreateAdd(a.high, b.high), both(a.valid, b.valid), int64_t(least),
            int64_t(most)};
  }

  static void extremes(const Interval &a, const Interval &b, Wide &least, Wide &most) {
    Wide products[] = {Wide(a.least) * b.least, Wide(a.least) * b.most, Wide(a.most) * b.least, Wide(a.most) * b.most};
    least = *std::min_element(products, products + 4);
    most = *std::max_element(products, products + 4);
  }

  Interval multiply(Interval a, Interval b) {
    Wide least, most;
    extremes(a, b, least, most);
    if (!fitsWord(least) || !fitsWord(most)) {
      a = within(a, -Factor, Factor);
      b = within(b, -Factor, Factor);
      extremes(a, b, least, most);
    }
    Interval result{nullptr, nullptr, both(a.valid, b.valid), int64_t(least), int64_t(most)};
    if (a.exact() && b.exact()) {
      result.low = result.high = builder.CreateMul(a.low, b.low);
      return result;
    }
    if (a.least >= 0 && b.least >= 0) {
      result.low = builder.CreateMul(a.low, b.low);
      result.high = builder.CreateMul(a.high, b.high);
      return result;
    }
    if (b.exact())
      std::swap(a, b);
    if (a.exact()) {
      Value *x = builder.CreateMul(a.low, b.low), *y = builder.CreateMul(a.low, b.high);
      bool up = a.least >= 0, down = a.most <= 0;
      result.low = up ? x : down ? y : smaller(x, y);
      result.high = up ? y : down ? x : larger(x, y);
      return result;
    }
    Value *p[] = {builder.CreateMul(a.low, b.low), builder.CreateMul(a.low, b.high), builder.CreateMul(a.high, b.low),
                  builder.CreateMul(a.high, b.high)};
    result.low = smaller(smaller(p[0], p[1]), smaller(p[2], p[3]));
    result.high = larger(larger(p[0], p[1]), larger(p[2], p[3]));
    return result;
  }

  Interval negate(Interval a) {
    Value *low = builder.CreateNeg(a.high);
    return {low, a.exact() ? low : builder.CreateNeg(a.low), a.valid, -a.most, -a.least};
  }

  Interval unite(Interval a, Interval b) {
    return {smaller(a.low, b.low), larger(a.high, b.high), both(a.valid, b.valid), std::min(a.least, b.least),
            std::max(a.most, b.most)};
  }
  Interval minimum(Interval a, Interval b) {
    return {smaller(a.low, b.low), a.exact() && b.exact() ? smaller(a.low, b.low) : smaller(a.high, b.high),
            both(a.valid, b.valid), std::min(a.least, b.least), std::min(a.most, b.most)};
  }
  Interval maximum(Interval a, Interval b) {
    return {larger(a.low, b.low), a.exact() && b.exact() ? larger(a.low, b.low) : larger(a.high, b.high),
            both(a.valid, b.valid), std::max(a.least, b.least), std::max(a.most, b.most)};
  }
  // Division by a positive constant, towards zero: monotone.
  Interval divide(Interval a, int64_t by) {
    Value *low = builder.CreateSDiv(a.low, number(by));
    return {low, a.exact() ? low : builder.CreateSDiv(a.high, number(by)), a.valid, a.least / by, a.most / by};
  }
  Interval shiftRight(Interval a, unsigned by) {
    Value *low = builder.CreateAShr(a.low, by);
    return {low, a.exact() ? low : builder.CreateAShr(a.high, by), a.valid, a.least >> by, a.most >> by};
  }
  // x / y and x % y for x >= 0 and y > 0 that only the program knows: no division is worth being exact.
  Interval quotient(Interval a, Interval b) {
    a = within(a, 0, Most), b = within(b, 1, Most);
    return {number(0), a.high, both(a.valid, b.valid), 0, a.most};
  }
  Interval remainder(Interval a, Interval b) {
    a = within(a, 0, Most), b = within(b, 1, Most);
    Value *high = smaller(a.high, builder.CreateSub(b.high, number(1)));
    return {number(0), high, both(a.valid, b.valid), 0, std::min(a.most, b.most - 1)};
  }

  // ---- values ----
  // What LLVM knows of a value of which nothing else is known: the range of a byte, a remainder, a lane. A range so wide that no
  // buffer is likely to hold it would only spoil the test for all others.
  Maybe known(Value *value) {
    if (!evolution.isSCEVable(value->getType()))
      return {};
    ConstantRange range = evolution.getSignedRange(evolution.getSCEV(value));
    APInt low = range.getSignedMin(), high = range.getSignedMax();
    if (range.isEmptySet() || low.getSignificantBits() > Narrow || high.getSignificantBits() > Narrow)
      return {};
    return Interval{number(low.getSExtValue()), number(high.getSExtValue()), nullptr, low.getSExtValue(),
                    high.getSExtValue()};
  }

  // The value itself, as 64 bits, with what is known of it.
  Interval exactly(Value *value, Value *here) {
    unsigned width = value->getType()->getIntegerBitWidth();
    int64_t least = leastOf(width), most = mostOf(width);
    ConstantRange range = evolution.getSignedRange(evolution.getSCEV(value));
    if (width < 63) {
      least = range.getSignedMin().getSExtValue(), most = range.getSignedMax().getSExtValue();
    }
    Value *wide = builder.CreateSExt(here, word);
    Interval result{wide, wide, nullptr, least, most};
    if (width >= 63) { // may be more than 62 bits
      result.least = INT64_MIN, result.most = INT64_MAX;
      result = within(result, std::max(-Most, range.getSignedMin().getSExtValue()),
                      std::min(Most, range.getSignedMax().getSExtValue()));
    }
    return result;
  }

  static bool isRegister(Value *value, StringRef prefix) {
    auto *call = dyn_cast<CallInst>(value);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName().starts_with(("llvm.nvvm.read.ptx.sreg." + prefix).str());
  }
  static bool isOfBlock(Value *value) {
    return isRegister(value, "ntid.") || isRegister(value, "ctaid.") || isRegister(value, "nctaid.");
  }
  static bool onlyRead(Value *pointer) {
    for (User *user : pointer->users()) {
      if (auto *load = dyn_cast<LoadInst>(user); load && !load->isVolatile())
        continue;
      if (!isa<GetElementPtrInst, AddrSpaceCastInst>(user) || !onlyRead(user))
        return false;
    }
    return true;
  }
  // A field of a structure passed by value, or of a __constant__ variable: the same all the time, for all threads.
  static bool isOfLaunch(LoadInst *load, const DataLayout &layout) {
    APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
    Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
    if (load->isVolatile() || load->isAtomic() || offset.isNegative())
      return false;
    uint64_t end = offset.getZExtValue() + layout.getTypeStoreSize(load->getType());
    if (auto *argument = dyn_cast<Argument>(base))
      return argument->hasByValAttr() && onlyRead(argument) &&
             end <= layout.getTypeAllocSize(argument->getParamByValType());
    auto *variable = dyn_cast<GlobalVariable>(base);
    return variable && variable->getAddressSpace() == 4 && variable->getValueType()->isSized() &&
           end <= layout.getTypeAllocSize(variable->getValueType());
  }
  Value *copyLoad(LoadInst *load) {
    const DataLayout &layout = function.getDataLayout();
    APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
    Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
    Value *address = builder.CreateGEP(builder.getInt8Ty(), base, builder.getInt(offset));
    return builder.CreateFreeze(builder.CreateAlignedLoad(load->getType(), address, load->getAlign()));
  }

  Value *valueAtPlace(Value *value) {
    if (isa<Constant>(value))
      return value;
    Value *&slot = atPlace[value];
    if (slot)
      return slot;
    auto *argument = dyn_cast<Argument>(value);
    auto *instruction = dyn_cast<Instruction>(value);
    if (!whole) {
      bool there = argument ? !argument->hasByValAttr() : analyses.dominators.dominates(instruction, place);
      return slot = there ? value : nullptr;
    }
    if (argument)
      return slot = argument->hasByValAttr() ? nullptr : value;
    if (isOfBlock(value))
      return slot = builder.Insert(instruction->clone());
    if (auto *load = dyn_cast<LoadInst>(value); load && isOfLaunch(load, function.getDataLayout()))
      return slot = copyLoad(load);
    return nullptr;
  }

  // threadIdx.x and its like, for all threads at once.
  Maybe thread(CallInst *call) {
    static const std::pair<Intrinsic::ID, Intrinsic::ID> pairs[] = {
        {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_x},
        {Intrinsic::nvvm_read_ptx_sreg_tid_y, Intrinsic::nvvm_read_ptx_sreg_ntid_y},
        {Intrinsic::nvvm_read_ptx_sreg_tid_z, Intrinsic::nvvm_read_ptx_sreg_ntid_z}};
    for (auto &pair : pairs)
      if (call->getIntrinsicID() == pair.first) {
        Value *count = builder.CreateIntrinsic(pair.second, {});
        Value *high = builder.CreateSub(builder.CreateZExt(count, word), number(1));
        return Interval{number(0), high, nullptr, 0, 1023};
      }
    return known(call);
  }

  Maybe value(Value *v, BasicBlock *context, unsigned depth = 0) {
    if (auto *c = dyn_cast<ConstantInt>(v))
      return c->getBitWidth() <= 64 && fitsWord(c->getSExtValue()) ? Maybe(constant(c->getSExtValue())) : Maybe();
    if (!v->getType()->isIntegerTy() || v->getType()->getIntegerBitWidth() > 64 || isa<Constant>(v))
      return {};
    auto found = memo.find({v, context});
    if (found != memo.end())
      return found->second;
    if (depth > Depth || ++spent > Budget)
      return {};
    Maybe result;
    if (Value *here = valueAtPlace(v))
      result = exactly(v, here);
    else if (auto *instruction = dyn_cast<Instruction>(v))
      result = compute(instruction, context, depth + 1);
    if (!result)
      result = known(v);
    if (result && !result->exact())
      result = narrow(v, *result, context, depth + 1);
    return memo[{v, context}] = result;
  }

  Maybe compute(Instruction *i, BasicBlock *context, unsigned depth) {
    if (auto *phi = dyn_cast<PHINode>(i))
      return meeting(phi, context, depth);
    if (auto *call = dyn_cast<IntrinsicInst>(i))
      return intrinsic(call, context, depth);
    if (auto *select = dyn_cast<SelectInst>(i)) {
      Maybe a = value(select->getTrueValue(), context, depth), b = value(select->getFalseValue(), context, depth);
      return a && b ? Maybe(unite(*a, *b)) : Maybe();
    }
    if (isa<FreezeInst>(i))
      return value(i->getOperand(0), context, depth);
    if (auto *cast = dyn_cast<CastInst>(i))
      return convert(cast, context, depth);
    return isa<BinaryOperator>(i) ? binary(cast<BinaryOperator>(i), context, depth) : Maybe();
  }

  Maybe convert(CastInst *cast, BasicBlock *context, unsigned depth) {
    if (!cast->getSrcTy()->isIntegerTy())
      return {};
    unsigned from = cast->getSrcTy()->getIntegerBitWidth(), to = cast->getDestTy()->getIntegerBitWidth();
    Maybe operand = value(cast->getOperand(0), context, depth);
    if (isa<ZExtInst>(cast) && from <= 16 && (!operand || operand->least < 0)) {
      int64_t most = (int64_t(1) << from) - 1;
      return Interval{number(0), number(most), nullptr, 0, most};
    }
    if (!operand)
      return {};
    if (isa<ZExtInst>(cast))
      return within(*operand, 0, Most);
    if (isa<TruncInst>(cast))
      return fit(*operand, to);
    return isa<SExtInst>(cast) ? operand : Maybe();
  }

  Maybe intrinsic(IntrinsicInst *call, BasicBlock *context, unsigned depth) {
    Intrinsic::ID id = call->getIntrinsicID();
    bool least = id == Intrinsic::smin || id == Intrinsic::umin, most = id == Intrinsic::smax || id == Intrinsic::umax;
    bool floored = id == Intrinsic::usub_sat; // a - b, or 0
    if (!least && !most && !floored)
      return whole ? thread(call) : known(call);
    Maybe a = value(call->getArgOperand(0), context, depth), b = value(call->getArgOperand(1), context, depth);
    if (!a || !b)
      return {};
    if (floored)
      return maximum(add(within(*a, 0, Most), negate(within(*b, 0, Most))), constant(0));
    if (id == Intrinsic::umin || id == Intrinsic::umax)
      a = within(*a, 0, Most), b = within(*b, 0, Most);
    return least ? minimum(*a, *b) : maximum(*a, *b);
  }

  Maybe binary(BinaryOperator *op, BasicBlock *context, unsigned depth) {
    Maybe x = value(op->getOperand(0), context, depth), y = value(op->getOperand(1), context, depth);
    auto *by = dyn_cast<ConstantInt>(op->getOperand(1));
    if (op->getOpcode() == Instruction::And && by)
      return masked(x, by->getSExtValue());
    if (y && !x && op->getOpcode() == Instruction::URem) { // whatever it is, the remainder is below
      Interval b = within(*y, 1, Most);
      return Interval{number(0), builder.CreateSub(b.high, number(1)), b.valid, 0, b.most - 1};
    }
    return x && y ? combine(op, *x, *y, by, context) : Maybe();
  }

  Maybe combine(BinaryOperator *op, Interval a, Interval b, ConstantInt *by, BasicBlock *context) {
    unsigned width = op->getType()->getIntegerBitWidth();
    bool shifts = by && by->getValue().ult(width);
    unsigned shift = shifts ? unsigned(by->getZExtValue()) : 0;
    switch (op->getOpcode()) {
    case Instruction::Add:
      return fit(add(a, b), width);
    case Instruction::Sub:
      return ordered(op, a, fit(add(a, negate(b)), width), context);
    case Instruction::Mul:
      return fit(multiply(a, b), width);
    case Instruction::Or:
      return cast<PossiblyDisjointInst>(op)->isDisjoint() ? Maybe(fit(add(a, b), width)) : Maybe();
    case Instruction::Shl:
      return shifts && shift < 31 ? Maybe(fit(multiply(a, constant(int64_t(1) << shift)), width)) : Maybe();
    case Instruction::LShr:
      return shifts ? Maybe(shiftRight(within(a, 0, Most), shift)) : Maybe();
    case Instruction::AShr:
      return shifts ? Maybe(shiftRight(a, shift)) : Maybe();
    case Instruction::UDiv:
      a = within(a, 0, Most);
      [[fallthrough]];
    case Instruction::SDiv:
      return by && by->getSExtValue() > 0 ? divide(a, by->getSExtValue()) : quotient(a, b);
    case Instruction::URem:
    case Instruction::SRem:
      return remainder(a, b);
    default:
      return {};
    }
  }

  // a - b is not negative where a >= b is known.
  Interval ordered(BinaryOperator *difference, Interval minuend, Interval i, BasicBlock *context) {
    Value *a = difference->getOperand(0), *b = difference->getOperand(1);
    for (const Guard &guard : SmallVector<Guard, 4>(conditions(context))) {
      CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
      Value *x = guard.compare->getOperand(0), *y = guard.compare->getOperand(1);
      if (x == b && y == a)
        std::swap(x, y), p = CmpInst::getSwappedPredicate(p);
      if (x != a || y != b || i.least >= 0)
        continue;
      if (!ICmpInst::isGT(p) && !ICmpInst::isGE(p))
        continue;
      Value *low = larger(i.low, number(0));
      if (ICmpInst::isSigned(p) || minuend.least >= 0) {
        i.low = low;
        i.least = std::min<int64_t>(0, i.most);
      } else { // a negative number is above, too
        i.low = builder.CreateSelect(builder.CreateICmpSGE(minuend.low, number(0)), low, i.low);
      }
    }
    return i;
  }

  // x & c. A mask that is not negative bounds whatever x is; one that only clears low bits rounds down.
  Maybe masked(Maybe a, int64_t mask) {
    if (mask >= 0) {
      if (a && a->least >= 0 && a->most < mask)
        return Interval{number(0), a->high, a->valid, 0, a->most};
      if (a && a->exact() && mask <= Most) {
        Value *low = builder.CreateAnd(a->low, number(mask));
        return Interval{low, low, a->valid, 0, mask};
      }
      return mask <= Most ? Maybe(Interval{number(0), number(mask), nullptr, 0, mask}) : Maybe();
    }
    if (!a || mask < -Most || ((-mask) & (-mask - 1)) != 0)
      return {};
    Value *low = builder.CreateAnd(a->low, number(mask));
    return Interval{low, a->exact() ? low : builder.CreateAnd(a->high, number(mask)), a->valid, a->least & mask,
                    a->most & mask};
  }

  // ---- loops ----
  Maybe meeting(PHINode *phi, BasicBlock *context, unsigned depth) {
    Loop *loop = analyses.loops.getLoopFor(phi->getParent());
    if (loop && loop->getHeader() == phi->getParent())
      return counter(phi, loop, depth);
    if (phi->getNumIncomingValues() > 4)
      return {};
    Maybe all;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
      Maybe one = value(phi->getIncomingValue(i), phi->getIncomingBlock(i), depth);
      if (!one)
        return {};
      BasicBlock *from = phi->getIncomingBlock(i);
      Value *may = both(reached(from), possible(from, phi->getParent(), depth));
      if (one->valid && may) // what does not come this way need not be valid
        one->valid = builder.CreateOr(one->valid, builder.CreateNot(may));
      all = all ? unite(*all, *one) : *one;
    }
    (void)context;
    return all;
  }

  // A phi that grows or shrinks by the same amount each round.
  Maybe counter(PHINode *phi, Loop *loop, unsigned depth) {
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
    BasicBlock *before = loop->getLoopPredecessor();
    if (!recurrence && before && !loop->contains(place->getParent()))
      return scaled(phi, loop, before, depth);
    if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine() || !before ||
        loop->contains(place->getParent()))
      return {};
    unsigned width = phi->getType()->getIntegerBitWidth();
    Maybe start = value(phi->getIncomingValueForBlock(before), before, depth);
    Maybe step = evolve(recurrence->getStepRecurrence(evolution), before, depth);
    if (!start || !step)
      return {};
    if (Maybe bounded = bounded_by_exit(phi, loop, before, recurrence, *start, *step, width, depth))
      return bounded;
    Maybe all = after_rounds(*start, *step, loop, before, width, depth);
    return all ? Maybe(up_to_last(*all, recurrence, *step, loop, before, depth)) : all;
  }

  // Where the number of rounds depends on the start, LLVM's expression for the last value may not: n - 1 for both together.
  Interval up_to_last(Interval i, const SCEVAddRecExpr *recurrence, Interval step, Loop *loop, BasicBlock *before,
                      unsigned depth) {
    if (step.least < 0 && step.most > 0)
      return i;
    const SCEV *count = evolution.getSymbolicMaxBackedgeTakenCount(loop);
    Maybe last = evolve(recurrence->evaluateAtIteration(count, evolution), before, depth);
    if (!last)
      return i;
    if (step.least >= 0) {
      Value *high = smaller(i.high, last->high);
      i.high = last->valid ? builder.CreateSelect(last->valid, high, i.high) : high;
    } else {
      Value *low = larger(i.low, last->low);
      i.low = last->valid ? builder.CreateSelect(last->valid, low, i.low) : low;
    }
    return i;
  }

  // The constant by which a number is multiplied, or divided (negative), 0 for anything else.
  static int64_t factor(Value *v, PHINode *phi) {
    auto *op = dyn_cast<BinaryOperator>(v);
    auto *by = op && op->getOperand(0) == phi ? dyn_cast<ConstantInt>(op->getOperand(1)) : nullptr;
    if (!by || by->getValue().getActiveBits() > 20)
      return 0;
    int64_t c = int64_t(by->getZExtValue());
    switch (op->getOpcode()) {
    case Instruction::Mul:
      return c;
    case Instruction::Shl:
      return c < 20 ? int64_t(1) << c : 0;
    case Instruction::UDiv:
    case Instruction::SDiv:
      return -c;
    case Instruction::LShr:
    case Instruction::AShr:
      return c < 20 ? -(int64_t(1) << c) : 0;
    default:
      return 0;
    }
  }

  // A phi that is multiplied or divided by the same constant each round: strides of trees. It starts at 0 or above.
  Maybe scaled(PHINode *phi, Loop *loop, BasicBlock *before, unsigned depth) {
    BasicBlock *latch = loop->getLoopLatch();
    Maybe start = value(phi->getIncomingValueForBlock(before), before, depth);
    int64_t by = latch && phi->getNumIncomingValues() == 2 ? factor(phi->getIncomingValueForBlock(latch), phi) : 0;
    if (!start || (by >= -1 && by <= 1))
      return {};
    Interval from = within(*start, 0, Most);
    if (by < 0)
      return Interval{number(0), from.high, from.valid, 0, from.most};
    unsigned width = phi->getType()->getIntegerBitWidth();
    for (const Guard &guard : exits(loop, phi->getType())) {
      std::optional<Bound> bound = as_bound(guard.compare, guard.holds);
      bool next = bound && bound->lower == phi->getIncomingValueForBlock(latch);
      if (!bound || (!next && bound->lower != phi) || !loop->isLoopInvariant(bound->upper))
        continue;
      Maybe end = value(bound->upper, before, depth);
      if (!end)
        continue;
      if (!bound->isSigned) // 0xffffffff is not -1
        end = within(*end, 0, Most);
      Interval last = within(bound->touches ? *end : add(*end, constant(-1)), -1, Most);
      if (!next)
        last = multiply(last, constant(by));
      Interval result = unite(from, last);
      result.low = from.low, result.least = from.least;
      result.valid = both(result.valid, fit(multiply(result, constant(by)), width).valid);
      return result;
    }
    return {};
  }

  // The comparisons that every further round must pass.
  SmallVector<Guard, 4> exits(Loop *loop, Type *type) {
    SmallVector<Guard, 4> list;
    SmallVector<BasicBlock *, 4> exiting;
    loop->getExitingBlocks(exiting);
    BasicBlock *latch = loop->getLoopLatch();
    for (BasicBlock *block : exiting) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
      if (compare && latch && analyses.dominators.dominates(block, latch) && compare->getOperand(0)->getType() == type)
        list.push_back({compare, loop->contains(branch->getSuccessor(0)), block});
    }
    return list;
  }

  // start + step * (0 ... rounds), where LLVM knows how many rounds there are at most.
  Maybe after_rounds(Interval start, Interval step, Loop *loop, BasicBlock *before, unsigned width, unsigned depth) {
    const SCEV *count = evolution.getSymbolicMaxBackedgeTakenCount(loop);
    auto *fixed = dyn_cast<SCEVConstant>(count);
    if (isa<SCEVCouldNotCompute>(count) || (fixed && fixed->getAPInt().getActiveBits() > Narrow))
      return {};
    Maybe rounds = evolve(count, before, depth);
    if (!rounds)
      return {};
    Interval upTo = within(*rounds, 0, Most);
    upTo.low = number(0), upTo.least = 0;
    return fit(add(start, multiply(step, upTo)), width);
  }

  // The comparison that every further round must pass, as `lower < upper`, or <= if `touches`.
  struct Bound {
    Value *lower, *upper;
    bool touches, isSigned;
  };
  static std::optional<Bound> as_bound(ICmpInst *compare, bool holds) {
    CmpInst::Predicate p = holds ? compare->getPredicate() : compare->getInversePredicate();
    Value *a = compare->getOperand(0), *b = compare->getOperand(1);
    if (ICmpInst::isGT(p) || ICmpInst::isGE(p)) {
      p = CmpInst::getSwappedPredicate(p);
      std::swap(a, b);
    }
    if (!ICmpInst::isLT(p) && !ICmpInst::isLE(p))
      return {};
    return Bound{a, b, ICmpInst::isLE(p), ICmpInst::isSigned(p)};
  }

  Maybe bounded_by_exit(PHINode *phi, Loop *loop, BasicBlock *before, const SCEVAddRecExpr *recurrence, Interval start,
                        Interval step, unsigned width, unsigned depth) {
    for (const Guard &guard : exits(loop, phi->getType())) {
      std::optional<Bound> bound = as_bound(guard.compare, guard.holds);
      if (!bound)
        continue;
      if (Maybe up = rising(phi, loop, before, recurrence, *bound, start, step, width, depth))
        return up;
      if (Maybe down = falling(phi, loop, before, recurrence, *bound, start, step, width, depth))
        return down;
    }
    return {};
  }

  bool is_next(const SCEVAddRecExpr *recurrence, Value *v) {
    return evolution.getSCEV(v) == recurrence->getPostIncExpr(evolution);
  }

  // Goes up while it, or its next value, is below the bound. It cannot wrap if one step from the highest value does not.
  Maybe rising(PHINode *phi, Loop *loop, BasicBlock *before, const SCEVAddRecExpr *recurrence, Bound bound,
               Interval start, Interval step, unsigned width, unsigned depth) {
    bool next = is_next(recurrence, bound.lower);
    if ((!next && bound.lower != phi) || !loop->isLoopInvariant(bound.upper) || step.most <= 0)
      return {};
    Maybe end = value(bound.upper, before, depth);
    if (!end)
      return {};
    step = within(step, 0, Most);
    if (!bound.isSigned)
      start = within(start, 0, Most), end = within(*end, 0, Most);
    Interval last = bound.touches ? *end : add(*end, constant(-1));
    if (start.exact() && step.least == step.most && step.least > 1) // only every step-th number
      last = add(start, multiply(divide(add(last, negate(start)), step.least), constant(step.least)));
    if (!next)
      last = add(last, step);
    Interval result = unite(start, last);
    result.low = start.low, result.least = start.least;
    result.valid = both(result.valid, both(step.valid, fit(add(result, step), width).valid));
    return result;
  }

  // Goes down while it, or its next value, is above the bound.
  Maybe falling(PHINode *phi, Loop *loop, BasicBlock *before, const SCEVAddRecExpr *recurrence, Bound bound,
                Interval start, Interval step, unsigned width, unsigned depth) {
    bool next = is_next(recurrence, bound.upper);
    if ((!next && bound.upper != phi) || !loop->isLoopInvariant(bound.lower) || step.least >= 0)
      return {};
    Maybe end = value(bound.lower, before, depth);
    if (!end)
      return {};
    step = within(step, -Most, 0);
    if (!bound.isSigned)
      start = within(start, 0, Most), end = within(*end, 0, Most);
    Interval last = bound.touches ? *end : add(*end, constant(1));
    if (!next)
      last = add(last, step);
    Interval result = unite(start, last);
    result.high = start.high, result.most = start.most;
    Interval stepped = add(result, step);
    stepped = bound.isSigned ? fit(stepped, width) : within(stepped, 0, mostOf(width));
    result.valid = both(result.valid, both(step.valid, stepped.valid));
    return result;
  }

  // ---- LLVM's own expressions: steps and numbers of rounds ----
  Maybe evolve(const SCEV *s, BasicBlock *context, unsigned depth) {
    unsigned width = evolution.getTypeSizeInBits(s->getType());
    if (depth > Depth || ++spent > Budget || !s->getType()->isIntegerTy() || width > 64)
      return {};
    depth++;
    switch (s->getSCEVType()) {
    case scConstant: {
      const APInt &c = cast<SCEVConstant>(s)->getAPInt();
      return c.getSignificantBits() <= 62 ? Maybe(constant(c.getSExtValue())) : Maybe();
    }
    case scUnknown:
      return value(cast<SCEVUnknown>(s)->getValue(), context, depth);
    case scTruncate:
    case scZeroExtend:
    case scSignExtend: {
      Maybe operand = evolve(cast<SCEVCastExpr>(s)->getOperand(), context, depth);
      if (!operand)
        return {};
      return s->getSCEVType() == scTruncate     ? fit(*operand, width)
             : s->getSCEVType() == scZeroExtend ? within(*operand, 0, Most)
                                                : *operand;
    }
    case scUDivExpr: {
      auto *division = cast<SCEVUDivExpr>(s);
      Maybe a = evolve(division->getLHS(), context, depth), b = evolve(division->getRHS(), context, depth);
      if (!a || !b)
        return {};
      auto *by = dyn_cast<SCEVConstant>(division->getRHS());
      Interval x = within(*a, 0, Most);
      return by && b->least > 0 ? divide(x, b->least) : quotient(x, *b);
    }
    case scAddRecExpr: {
      auto *recurrence = cast<SCEVAddRecExpr>(s);
      const Loop *loop = recurrence->getLoop();
      BasicBlock *before = loop->getLoopPredecessor();
      if (!recurrence->isAffine() || !before || loop->contains(place->getParent()))
        return {};
      for (PHINode &phi : loop->getHeader()->phis())
        if (phi.getType() == s->getType() && evolution.getSCEV(&phi) == s)
          return value(&phi, context, depth);
      Maybe start = evolve(recurrence->getStart(), before, depth);
      Maybe step = evolve(recurrence->getStepRecurrence(evolution), before, depth);
      return start && step ? after_rounds(*start, *step, const_cast<Loop *>(loop), before, width, depth) : Maybe();
    }
    case scAddExpr:
    case scMulExpr:
    case scSMaxExpr:
    case scSMinExpr:
    case scUMaxExpr:
    case scUMinExpr:
    case scSequentialUMinExpr:
      return fold(s, context, width, depth);
    default:
      return {};
    }
  }

  Maybe fold(const SCEV *s, BasicBlock *context, unsigned width, unsigned depth) {
    Maybe all;
    for (const SCEV *operand : s->operands()) {
      Maybe one = evolve(operand, context, depth);
      if (!one)
        return {};
      SCEVTypes type = s->getSCEVType();
      if (type == scUMaxExpr || type == scUMinExpr || type == scSequentialUMinExpr)
        one = within(*one, 0, Most);
      if (!all)
        all = one;
      else if (type == scAddExpr)
        all = add(*all, *one);
      else if (type == scMulExpr)
        all = multiply(*all, *one);
      else
        all = type == scSMaxExpr || type == scUMaxExpr ? maximum(*all, *one) : minimum(*all, *one);
    }
    return all ? Maybe(fit(*all, width)) : all;
  }

  // ---- conditions on the way ----
  static void split(Value *condition, bool holds, BasicBlock *at, SmallVectorImpl<Guard> &to) {
    Value *a, *b;
    if (auto *compare = dyn_cast<ICmpInst>(condition)) {
      to.push_back({compare, holds, at});
      return;
    }
    if (auto *op = dyn_cast<BinaryOperator>(condition)) {
      if (op->getOpcode() == Instruction::Xor)
        if (auto *c = dyn_cast<ConstantInt>(op->getOperand(1)); c && c->isOne())
          return split(op->getOperand(0), !holds, at, to);
      if (op->getOpcode() != (holds ? Instruction::And : Instruction::Or))
        return;
      a = op->getOperand(0), b = op->getOperand(1);
    } else if (auto *select = dyn_cast<SelectInst>(condition)) { // a && b, a || b
      auto *other = dyn_cast<ConstantInt>(holds ? select->getFalseValue() : select->getTrueValue());
      if (!other || !select->getType()->isIntegerTy(1) || other->isOne() == holds)
        return;
      a = select->getCondition(), b = holds ? select->getTrueValue() : select->getFalseValue();
    } else {
      return;
    }
    split(a, holds, at, to);
    split(b, holds, at, to);
  }

  // Nearest first. What held before the place is in the values there already.
  const SmallVector<Guard, 4> &conditions(BasicBlock *block) {
    auto found = guards.find(block);
    if (found != guards.end())
      return found->second;
    SmallVector<Guard, 4> list;
    DomTreeNode *node = analyses.dominators.getNode(block);
    BasicBlock *parent = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    if (parent && block != place->getParent() && !analyses.dominators.properlyDominates(parent, place->getParent())) {
      auto *branch = dyn_cast<BranchInst>(parent->getTerminator());
      if (branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1))
        for (unsigned i = 0; i < 2; i++)
          if (analyses.dominators.dominates(BasicBlockEdge(parent, branch->getSuccessor(i)), block))
            split(branch->getCondition(), i == 0, parent, list);
      for (const Guard &guard : SmallVector<Guard, 4>(conditions(parent)))
        list.push_back(guard);
    }
    return guards[block] = list;
  }

  Interval narrow(Value *v, Interval i, BasicBlock *context, unsigned depth) {
    for (const Guard &guard : SmallVector<Guard, 4>(conditions(context))) {
      if (guard.compare->getOperand(0) != v && guard.compare->getOperand(1) != v) {
        i = narrow_moved(v, i, guard, depth);
        continue;
      }
      CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
      bool first = guard.compare->getOperand(0) == v;
      if (!first)
        p = CmpInst::getSwappedPredicate(p);
      Maybe other = value(guard.compare->getOperand(first ? 1 : 0), guard.at, depth);
      if (other)
        i = clamp(i, p, *other);
    }
    return i;
  }

  // The same where v + c or c - v is compared, and surely does not wrap.
  Interval narrow_moved(Value *v, Interval i, const Guard &guard, unsigned depth) {
    CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
    for (unsigned side = 0; side < 2 && ICmpInst::isSigned(p); side++, p = CmpInst::getSwappedPredicate(p)) {
      auto *op = dyn_cast<BinaryOperator>(guard.compare->getOperand(side));
      if (!op || (op->getOperand(0) != v && op->getOperand(1) != v))
        continue;
      bool minus = op->getOpcode() == Instruction::Sub && op->getOperand(1) == v;
      auto *by = dyn_cast<ConstantInt>(op->getOperand(op->getOperand(1) == v ? 0 : 1));
      if (!by || by->getBitWidth() > 64 || by->getValue().getSignificantBits() > 40 ||
          (!minus && op->getOpcode() != Instruction::Add))
        continue;
      int64_t c = by->getSExtValue();
      unsigned width = by->getBitWidth();
      Wide least = minus ? Wide(c) - i.most : Wide(c) + i.least, most = minus ? Wide(c) - i.least : Wide(c) + i.most;
      if (least < leastOf(width) || most > mostOf(width))
        continue;
      Maybe other = value(guard.compare->getOperand(1 - side), guard.at, depth);
      if (other)
        i = minus ? clamp(i, CmpInst::getSwappedPredicate(p), add(constant(c), negate(*other)))
                  : clamp(i, p, add(*other, constant(-c)));
    }
    return i;
  }

  // v is not other: an end that is other moves by one.
  Interval without(Interval i, Interval other) {
    Value *bottom = builder.CreateICmpEQ(i.low, other.low), *top = builder.CreateICmpEQ(i.high, other.low);
    if (other.valid)
      bottom = builder.CreateAnd(bottom, other.valid), top = builder.CreateAnd(top, other.valid);
    i.low = builder.CreateAdd(i.low, builder.CreateZExt(bottom, word));
    i.high = builder.CreateSub(i.high, builder.CreateZExt(top, word));
    return i;
  }

  // v p other holds. Where `other` is not valid, nothing is known.
  Interval clamp(Interval i, CmpInst::Predicate p, Interval other) {
    bool below = ICmpInst::isLT(p) || ICmpInst::isLE(p), above = ICmpInst::isGT(p) || ICmpInst::isGE(p);
    bool equal = p == CmpInst::ICMP_EQ;
    if (p == CmpInst::ICMP_NE && other.exact())
      return without(i, other);
    if (!below && !above && !equal)
      return i;
    bool isUnsigned = ICmpInst::isUnsigned(p);
    if (isUnsigned && above && i.least < 0)
      return i; // a negative number is above, too
    int64_t strict = ICmpInst::isLT(p) || ICmpInst::isGT(p);
    Value *sure = other.valid;
    if (isUnsigned && other.least < 0)
      sure = both(sure, builder.CreateICmpSGE(other.low, number(0)));
    bool always = sure == nullptr;
    if (below || equal) {
      Value *high = smaller(i.high, builder.CreateSub(other.high, number(strict)));
      i.high = always ? high : builder.CreateSelect(sure, high, i.high);
      if (always)
        i.most = std::min(i.most, std::max(other.most - strict, i.least));
    }
    if (above || equal) {
      Value *low = larger(i.low, builder.CreateAdd(other.low, number(strict)));
      i.low = always ? low : builder.CreateSelect(sure, low, i.low);
      if (always)
        i.least = std::max(i.least, std::min(other.least + strict, i.most));
    }
    if (below && isUnsigned && i.least < 0) { // 0 <= v < other
      Value *low = larger(i.low, number(0));
      i.low = always ? low : builder.CreateSelect(sure, low, i.low);
      if (always)
        i.least = std::min<int64_t>(0, i.most);
    }
    return i;
  }

  // May the comparison come out this way?
  Value *possible(const Guard &guard, unsigned depth) {
    Maybe a = value(guard.compare->getOperand(0), guard.at, depth),
          b = value(guard.compare->getOperand(1), guard.at, depth);
    if (!a || !b)
      return nullptr;
    CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
    Value *may;
    if (ICmpInst::isUnsigned(p)) {
      if (ICmpInst::isGT(p) || ICmpInst::isGE(p)) {
        std::swap(a, b);
        p = CmpInst::getSwappedPredicate(p);
      }
      // a < b: surely not if b is not negative and a is negative or at least b; a negative b is beyond everything
      Value *positive = builder.CreateICmpSGE(a->high, number(0)), *huge = builder.CreateICmpSLT(b->low, number(0));
      Value *lowest = larger(a->low, number(0));
      Value *less = builder.CreateICmp(ICmpInst::getSignedPredicate(p), lowest, b->high);
      may = builder.CreateOr(huge, builder.CreateAnd(positive, less));
    } else if (p == CmpInst::ICMP_NE) {
      Value *same = builder.CreateAnd(builder.CreateICmpEQ(a->low, b->high), builder.CreateICmpEQ(a->high, b->low));
      may = builder.CreateNot(same);
    } else if (p == CmpInst::ICMP_EQ) {
      may = builder.CreateAnd(builder.CreateICmpSLE(a->low, b->high), builder.CreateICmpSGE(a->high, b->low));
    } else {
      bool below = ICmpInst::isLT(p) || ICmpInst::isLE(p);
      may = builder.CreateICmp(p, below ? a->low : a->high, below ? b->high : b->low);
    }
    if (Value *valid = both(a->valid, b->valid))
      may = builder.CreateOr(may, builder.CreateNot(valid));
    return may;
  }

  Value *possible(BasicBlock *from, BasicBlock *to, unsigned depth) {
    auto *branch = dyn_cast<BranchInst>(from->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      return nullptr;
    SmallVector<Guard, 4> list;
    split(branch->getCondition(), branch->getSuccessor(0) == to, from, list);
    Value *all = nullptr;
    for (const Guard &guard : list)
      all = both(all, possible(guard, depth));
    return all;
  }

  // Null: it may. A loop is reached from outside, the first time at least.
  Value *reached(BasicBlock *block, unsigned depth = 0) {
    auto found = reachedMemo.find(block);
    if (found != reachedMemo.end())
      return found->second;
    reachedMemo[block] = nullptr; // while it is being worked out
    if (depth > 4 * Depth || analyses.dominators.dominates(block, place->getParent()))
      return nullptr;
    Loop *loop = analyses.loops.getLoopFor(block);
    bool heads = loop && loop->getHeader() == block;
    Value *any = nullptr;
    for (BasicBlock *from : predecessors(block)) {
      if (heads && loop->contains(from))
        continue;
      Value *way = both(reached(from, depth + 1), possible(from, block, 1));
      if (!way)
        return nullptr;
      any = any ? builder.CreateOr(any, way) : way;
    }
    return reachedMemo[block] = any;
  }

  // The same, but null also if nothing is known of the last branch on some way.
  Value *entered(BasicBlock *block) {
    Value *any = nullptr;
    for (BasicBlock *from : predecessors(block)) {
      Value *last = possible(from, block, 1);
      if (!last)
        return nullptr;
      Value *way = both(reached(from), last);
      any = any ? builder.CreateOr(any, way) : way;
    }
    return any;
  }

  // ---- pointers ----
  Maybe distance(Value *pointer, Value *root, BasicBlock *context, uint64_t &multiple, unsigned depth = 0) {
    if (pointer == root)
      return constant(0);
    if (depth > Depth)
      return {};
    if (auto *gep = dyn_cast<GEPOperator>(pointer)) {
      Maybe base = distance(gep->getPointerOperand(), root, context, multiple, depth + 1);
      return base ? step(gep, *base, context, multiple) : Maybe();
    }
    if (auto *phi = dyn_cast<PHINode>(pointer))
      return moving(phi, root, multiple, depth + 1);
    auto *op = dyn_cast<Operator>(pointer);
    bool same = op && (op->getOpcode() == Instruction::AddrSpaceCast || op->getOpcode() == Instruction::BitCast ||
                       op->getOpcode() == Instruction::Freeze);
    return same ? distance(op->getOperand(0), root, context, multiple, depth + 1) : Maybe();
  }

  Maybe step(GEPOperator *gep, Interval base, BasicBlock *context, uint64_t &multiple) {
    const DataLayout &layout = function.getDataLayout();
    SmallMapVector<Value *, APInt, 4> parts;
    APInt fixed(layout.getIndexTypeSizeInBits(gep->getType()), 0);
    if (!gep->collectOffset(layout, fixed.getBitWidth(), parts, fixed) || fixed.getSignificantBits() > 40)
      return {};
    multiple = std::gcd(multiple, uint64_t(std::abs(fixed.getSExtValue())));
    Interval sum = add(base, constant(fixed.getSExtValue()));
    for (auto &part : parts) {
      Maybe index = value(part.first, context);
      if (!index || part.second.getSignificantBits() > 40)
        return {};
      multiple = std::gcd(multiple, uint64_t(std::abs(part.second.getSExtValue())));
      sum = add(sum, multiply(*index, constant(part.second.getSExtValue())));
    }
    return sum;
  }

  Maybe moving(PHINode *phi, Value *root, uint64_t &multiple, unsigned depth) {
    Loop *loop = analyses.loops.getLoopFor(phi->getParent());
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
    BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
    if (!before || !recurrence || loop->getHeader() != phi->getParent() || recurrence->getLoop() != loop ||
        !recurrence->isAffine() || loop->contains(place->getParent()))
      return {};
    const SCEV *by = recurrence->getStepRecurrence(evolution);
    Maybe start = distance(phi->getIncomingValueForBlock(before), root, before, multiple, depth);
    Maybe step = evolve(by, before, depth);
    if (!start || !step)
      return {};
    APInt known = evolution.getConstantMultiple(by);
    multiple = std::gcd(multiple, known.getActiveBits() <= 40 ? known.getZExtValue() : 1);
    return after_rounds(*start, *step, loop, before, 64, depth);
  }
};

extern "C" cs_ranges *cs_ranges_begin(const cs_analyses *analyses, LLVMValueRef place, int whole_block) {
  return new cs_ranges(*analyses, unwrap<Instruction>(place), whole_block != 0);
}

extern "C" void cs_ranges_end(cs_ranges *ranges) {
  delete ranges;
}

extern "C" LLVMValueRef cs_ranges_reached(cs_ranges *ranges, LLVMValueRef user) {
  return wrap(ranges->entered(unwrap<Instruction>(user)->getParent()));
}

extern "C" LLVMValueRef cs_ranges_value(cs_ranges *ranges, LLVMValueRef value) {
  return wrap(ranges->valueAtPlace(unwrap(value)));
}

extern "C" int cs_ranges_extent(cs_ranges *ranges, LLVMValueRef pointer, LLVMValueRef root, LLVMValueRef user,
                                cs_extent *extent) {
  BasicBlock *context = unwrap<Instruction>(user)->getParent();
  uint64_t multiple = 0;
  Maybe distance = ranges->distance(unwrap(pointer), unwrap(root), context, multiple);
  if (!distance)
    return 0;
  *extent = {wrap(distance->low), wrap(distance->high), wrap(distance->valid), wrap(ranges->reached(context)),
             multiple};
  return 1;
}
