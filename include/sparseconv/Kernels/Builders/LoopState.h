//===- LoopState.h - named values that a loop carries -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of SSA values carries a flat list. A generator wants names. A state is
// a struct of values that lists its fields once:
//
//   struct Cursor {
//     Value offset, chunk;
//     SmallVector<Value> rows;
//     void fields(LoopFields &f) { f(offset, chunk, rows); }
//   };
//
// and loops then hand it to their bodies, which change it in place:
//
//   Cursor end = doWhile(b, start, [&](Cursor &now) {
//     now.offset = b.add(now.offset, 1);
//     return b.lessUnsigned(now.offset, 27);
//   });
//
// A field is a Value, a vector of values or another state. A null value and an
// empty vector are not carried: where a loop starts says which optional fields
// it has. A Value and a vector of values are states as well. The list has the
// values in the order of the fields.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_BUILDERS_LOOPSTATE_H
#define SPARSECONV_KERNELS_BUILDERS_LOOPSTATE_H

#include "mlir/IR/TypeRange.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>

namespace mlir::sparseconv {

/// Goes through the fields of a state; a state calls it with all of them.
class LoopFields {
public:
  explicit LoopFields(llvm::function_ref<void(Value &)> visit) : visit(visit) {}

  template <class... Fields> void operator()(Fields &...fields) {
    (enter(fields), ...);
  }

private:
  template <class Field> void enter(Field &field) {
    if constexpr (std::is_same_v<Field, Value>) {
      if (field)
        visit(field);
    } else if constexpr (std::is_base_of_v<SmallVectorImpl<Value>, Field>) {
      for (Value &value : field)
        enter(value);
    } else {
      field.fields(*this);
    }
  }

  llvm::function_ref<void(Value &)> visit;
};

/// The values of a state, in the order of its fields.
template <class State> SmallVector<Value> packState(State state) {
  SmallVector<Value> values;
  LoopFields([&](Value &value) { values.push_back(value); })(state);
  return values;
}

/// A state with the fields that `shape` has, and these values.
template <class State> State unpackState(State shape, ValueRange values) {
  LoopFields([&](Value &value) {
    assert(!values.empty() && "the state has more fields than it started with");
    value = values.front();
    values = values.drop_front();
  })(shape);
  assert(values.empty() && "the state has fewer fields than it started with");
  return shape;
}

/// do step(state) while what it returns holds.
template <class Builder, class State, class Step>
State doWhile(Builder &b, const State &start, Step step) {
  return unpackState(
      start, b.doWhile(packState(start), [&](ValueRange carried) {
        State now = unpackState(start, carried);
        Value again = step(now);
        return std::pair<Value, SmallVector<Value>>(again, packState(now));
      }));
}

/// while (condition(state)) body(state).
template <class Builder, class State, class Condition, class Body>
State whileLoop(Builder &b, const State &start, Condition condition,
                Body body) {
  return unpackState(start, b.whileLoop(
                                packState(start),
                                [&](ValueRange carried) -> Value {
                                  return condition(unpackState(start, carried));
                                },
                                [&](ValueRange carried) {
                                  State now = unpackState(start, carried);
                                  body(now);
                                  return packState(now);
                                }));
}

/// for (position = begin; position < end; position += step) body(position,
/// state). `step` is what the builder's loops take.
template <class Builder, class Step, class State, class Body>
State forLoop(Builder &b, Value begin, Value end, Step step, const State &start,
              Body body) {
  return unpackState(start, b.forLoop(begin, end, step, packState(start),
                                      [&](Value position, ValueRange carried) {
                                        State now = unpackState(start, carried);
                                        body(position, now);
                                        return packState(now);
                                      }));
}

/// What one of two bodies makes of a state.
template <class Builder, class State, class Then, class Else>
State ifElse(Builder &b, Value condition, const State &start, Then thenBody,
             Else elseBody) {
  auto apply = [&](auto &body) {
    State now = start;
    body(now);
    return packState(now);
  };
  SmallVector<Value> values = packState(start);
  return unpackState(start, b.ifElse(
                                condition, ValueRange(values).getTypes(),
                                [&] { return apply(thenBody); },
                                [&] { return apply(elseBody); }));
}

/// What `body` makes of a state, or the state where `condition` does not hold.
template <class Builder, class State, class Body>
State changeIf(Builder &b, Value condition, const State &start, Body body) {
  return ifElse(b, condition, start, body, [](State &) {});
}

/// if (condition) do step(state) while what it returns holds.
template <class Builder, class State, class Step>
State doWhileIf(Builder &b, Value condition, const State &start, Step step) {
  return changeIf(b, condition, start,
                  [&](State &state) { state = doWhile(b, state, step); });
}

/// The one or the other of two states, by a select of each value.
template <class Builder, class State>
State selectState(Builder &b, Value condition, const State &ifTrue,
                  const State &ifFalse) {
  SmallVector<Value> values;
  for (auto [yes, no] : llvm::zip_equal(packState(ifTrue), packState(ifFalse)))
    values.push_back(b.select(condition, yes, no));
  return unpackState(ifTrue, values);
}

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_BUILDERS_LOOPSTATE_H
