//===- StreetBody.cpp - rays, bodies and random numbers -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Street.h"
#include <algorithm>
#include <cmath>

namespace sparseconv::detail {

uint64_t Random::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  // 53 bits: each value is exact in a double.
  double unit = static_cast<double>(next() >> 11) / 9007199254740992.0;
  return low + (high - low) * unit;
}

double Random::normal() {
  double sum = -6;
  for (unsigned i = 0; i < 12; ++i)
    sum += uniform(0, 1);
  return sum;
}

Rotation makeRotation(double turns) {
  // A quarter turn at most remains, around 0, where a short series is exact
  // to a double's precision.
  double whole = std::floor(turns * 4 + 0.5);
  double angle = (turns - whole / 4) * 6.283185307179586;
  double square = angle * angle, sine = 0, cosine = 0;
  for (int i = 19; i >= 3; i -= 2)
    sine = (1 + sine) * (-square / (i * (i - 1)));
  for (int i = 18; i >= 2; i -= 2)
    cosine = (1 + cosine) * (-square / (i * (i - 1)));
  sine = angle * (1 + sine);
  cosine = 1 + cosine;
  switch (static_cast<int64_t>(whole) & 3) {
  case 0:
    return {cosine, sine};
  case 1:
    return {-sine, cosine};
  case 2:
    return {-cosine, -sine};
  default:
    return {sine, -cosine};
  }
}

namespace {
/// The part of a ray inside a convex body, with the surface where it enters.
struct Span {
  double enter = 0, exit = 1e9, incidence = 1;

  /// Keeps the part where `slope` * t <= `limit`: one face's half-space. The
  /// face's normal has length `norm`.
  void clip(double slope, double limit, double norm) {
    if (slope == 0) {
      if (limit < 0)
        exit = -1;
      return;
    }
    double t = limit / slope;
    if (slope > 0) {
      exit = std::min(exit, t);
    } else if (t > enter) {
      enter = t;
      incidence = -slope / norm;
    }
  }
  /// Keeps the part between the roots of a t^2 + 2 b t + c <= 0.
  void clipQuadratic(double a, double b, double c, double incidenceAtRoot) {
    double discriminant = b * b - a * c;
    if (!(a > 0) || discriminant <= 0) {
      exit = -1;
      return;
    }
    double root = std::sqrt(discriminant);
    exit = std::min(exit, (root - b) / a);
    if ((-b - root) / a > enter) {
      enter = (-b - root) / a;
      incidence = std::min(1.0, root * incidenceAtRoot);
    }
  }
  bool isEmpty() const { return enter >= exit; }
};
} // namespace

/// Windows are set back from the wall and dark; a wall's coordinate along it
/// and the height tell where they are.
static void enterWindow(double along, double height, Span &span, Hit &hit) {
  double column = along - 2.6 * std::floor(along / 2.6),
         row = height - 3.1 * std::floor(height / 3.1);
  bool isWindow = column > 0.8 && column < 2.0 && row > 1.0 && row < 2.5;
  if (!isWindow || span.incidence < 0.05)
    return;
  hit.range += 0.18 / span.incidence;
  hit.reflectivity = 0.07;
}

std::optional<Hit> Body::intersect(const Direction &direction,
                                   Random &random) const {
  // The ray in the body's frame, where its centre is the origin.
  auto turned = [&](double x, double y, double z) -> Direction {
    return {x * turn.cosine + y * turn.sine, y * turn.cosine - x * turn.sine,
            z};
  };
  Direction o = turned(-centre[0], -centre[1], -centre[2]),
            d = turned(direction[0], direction[1], direction[2]);

  Span span;
  if (shape != Shape::Ellipsoid) {
    span.clip(d[2], half[2] - o[2], 1);
    span.clip(-d[2], half[2] + o[2], 1);
  }
  if (shape == Shape::Box) {
    const double lean[] = {leanX, leanY};
    for (unsigned axis = 0; axis < 2; ++axis) {
      double norm = std::sqrt(1 + lean[axis] * lean[axis]);
      for (int sign : {-1, 1})
        span.clip(sign * d[axis] + lean[axis] * d[2],
                  half[axis] - sign * o[axis] - lean[axis] * (o[2] + half[2]),
                  norm);
    }
  } else {
    double a = 0, b = 0, c = -1;
    unsigned axes = shape == Shape::Cylinder ? 2 : 3;
    for (unsigned axis = 0; axis < axes; ++axis) {
      double inverse = 1 / (half[axis] * half[axis]);
      a += d[axis] * d[axis] * inverse;
      b += d[axis] * o[axis] * inverse;
      c += o[axis] * o[axis] * inverse;
    }
    // Exact for a circle or sphere; close enough for what is nearly one.
    span.clipQuadratic(a, b, c, half[0]);
  }
  if (span.isEmpty() || span.enter <= 0.5)
    return std::nullopt;

  Hit hit;
  hit.range = span.enter;
  hit.incidence = span.incidence;
  hit.reflectivity = reflectivity;
  if (density > 0) {
    // Leaves: each decimetre on the way through may send the light back.
    hit.range += random.uniform(0, 0.1);
    while (hit.range < span.exit && !random.chance(density))
      hit.range += 0.1;
    if (hit.range >= span.exit)
      return std::nullopt;
    hit.incidence = random.uniform(0.3, 1);
  } else if (hasWindows) {
    double x = o[0] + d[0] * hit.range, y = o[1] + d[1] * hit.range,
           z = o[2] + d[2] * hit.range + half[2];
    bool isOnX =
        std::abs(std::abs(x) - half[0]) < std::abs(std::abs(y) - half[1]);
    enterWindow(isOnX ? y : x, z, span, hit);
  }
  return hit;
}

} // namespace sparseconv::detail
