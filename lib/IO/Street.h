//===- Street.h - a made-up street ------------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The world of the synthetic sweep: a height field and convex bodies.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_IO_STREET_H
#define SPARSECONV_LIB_IO_STREET_H

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sparseconv::detail {

/// SplitMix64: a small generator whose sequence is the same everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next();
  /// Uniform in [low, high).
  double uniform(double low, double high);
  bool chance(double probability) { return uniform(0, 1) < probability; }
  /// About normal, with standard deviation 1: the sum of twelve uniforms.
  double normal();

private:
  uint64_t state;
};

/// Cosine and sine of a part of a full turn, from polynomials: library
/// functions differ in their last bits between machines.
struct Rotation {
  double cosine = 1, sine = 0;
};
Rotation makeRotation(double turns);

using Direction = std::array<double, 3>;

struct Hit {
  double range = 0;
  /// Cosine of the angle between ray and surface normal.
  double incidence = 1;
  /// Share of the light that comes back, 0 .. 1.
  double reflectivity = 0;
};

/// A convex body: a box whose sides may lean inwards, a cylinder or an
/// ellipsoid.
struct Body {
  enum class Shape : uint8_t { Box, Cylinder, Ellipsoid };
  Shape shape = Shape::Box;
  std::array<double, 3> centre = {0, 0, 0}, half = {1, 1, 1};
  Rotation turn;
  double reflectivity = 0.3;
  /// Chance of a return in each decimetre inside; 0 for a solid body.
  double density = 0;
  /// How far the sides of a box move in for each metre upwards.
  double leanX = 0, leanY = 0;
  bool hasWindows = false;

  /// Where the ray from the sensor meets the body, if it does.
  std::optional<Hit> intersect(const Direction &direction,
                               Random &random) const;
};

class Street {
public:
  explicit Street(uint64_t seed);

  /// The first thing a ray meets within the sensor's reach.
  std::optional<Hit> cast(const Direction &direction, Random &random) const;

private:
  /// Height of the ground below or above the sensor.
  double getGround(double x, double y) const;
  double getGroundReflectivity(double x, double y, Random &random) const;
  std::optional<Hit> castGround(const Direction &direction,
                                Random &random) const;

  /// The random street, one kind of thing after the other.
  void addBuildings(Random &random);
  void addCars(Random &random);
  void addFurniture(Random &random);
  void addCar(double x, double y, double turns, Random &random);
  void addPerson(double x, double y, Random &random);
  void addTree(double x, double y, Random &random);
  void addPole(double x, double y, Random &random);
  void addBody(Body body, double x, double y, double lift);
  /// True for x inside the crossing street.
  bool isCrossing(double x, double room) const;

  std::vector<Body> bodies;
  double slopeX = 0, slopeY = 0, bend = 0, crossingX = 0;
};

} // namespace sparseconv::detail

#endif // SPARSECONV_LIB_IO_STREET_H
