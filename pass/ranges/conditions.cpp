// conditions.cpp: the comparisons that dominate a block.
#include "pass/ranges/conditions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"

namespace cusafe::ranges {

static void split(Value *condition, bool holds, BasicBlock *at, Guards &to) {
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

Guards implied(Value *condition, bool holds, BasicBlock *at) {
  Guards list;
  split(condition, holds, at, list);
  return list;
}

// The branch that ends the block, if its condition decides where it goes.
static BranchInst *decision_of(BasicBlock *block) {
  auto *branch = dyn_cast<BranchInst>(block->getTerminator());
  return branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) ? branch : nullptr;
}

Guards implied_by_edge(BasicBlock *from, BasicBlock *to) {
  BranchInst *branch = decision_of(from);
  return branch ? implied(branch->getCondition(), branch->getSuccessor(0) == to, from) : Guards();
}

Guards Conditions::of(BasicBlock *block) {
  auto found = known.find(block);
  if (found != known.end())
    return found->second;
  Guards list;
  DomTreeNode *node = dominators.getNode(block);
  BasicBlock *parent = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  if (parent && block != point->getParent() && !dominators.properlyDominates(parent, point->getParent())) {
    if (BranchInst *branch = decision_of(parent))
      for (unsigned i = 0; i < 2; i++)
        if (dominators.dominates(BasicBlockEdge(parent, branch->getSuccessor(i)), block))
          split(branch->getCondition(), i == 0, parent, list);
    list.append(of(parent));
  }
  return known[block] = list;
}

// Whether v is one of the numbers whose bits `join` joins.
static bool is_joined(Value *v, Value *join) {
  auto *op = dyn_cast<BinaryOperator>(join);
  return op && op->getOpcode() == Instruction::Or &&
         any_of(op->operands(), [&](Value *part) { return part == v || is_joined(v, part); });
}

bool excludes_sign(const Guard &guard, Value *v) {
  CmpInst::Predicate p = guard.predicate();
  auto *bound = dyn_cast<ConstantInt>(guard.compare->getOperand(1));
  return bound && ((p == CmpInst::ICMP_SGT && bound->isMinusOne()) || (p == CmpInst::ICMP_SGE && bound->isZero())) &&
         is_joined(v, guard.compare->getOperand(0));
}

} // namespace cusafe::ranges
