//===- Street.cpp - a made-up street --------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Street.h"
#include <algorithm>
#include <cmath>

// Random numbers are drawn in statements of their own. The order in which a
// call's arguments are evaluated is the compiler's choice, but a seed names one
// street whoever compiled this.

namespace sparseconv::detail {

/// All lengths in metres.
static constexpr double sensorHeight = 1.73, reach = 78, roadHalf = 7.4,
                        walkHalf = 11.4, kerb = 0.14, crossingHalf = 5.5;

void Street::addBody(Body body, double x, double y, double lift) {
  body.centre = {x, y, getGround(x, y) + lift + body.half[2]};
  bodies.push_back(body);
}

bool Street::isCrossing(double x, double room) const {
  return x > crossingX - crossingHalf - room &&
         x < crossingX + crossingHalf + room;
}

void Street::addBuildings(Random &random) {
  for (int side : {-1, 1})
    for (double x = -75; x < 75;) {
      double length = random.uniform(9, 22), depth = random.uniform(8, 14),
             height = random.uniform(4.5, 13),
             setback = random.uniform(0.3, 4.5);
      double middle = x + length / 2;
      x += length + (random.chance(0.45) ? random.uniform(2, 9) : 0.05);
      if (isCrossing(middle, length / 2 + 3.5))
        continue;
      Body wall;
      // A metre of the wall is below ground, wherever the ground slopes.
      wall.half = {length / 2, depth / 2, height / 2 + 1};
      wall.reflectivity = random.uniform(0.22, 0.6);
      wall.hasWindows = true;
      addBody(wall, middle, side * (walkHalf + setback + depth / 2), -2);
    }
  // Houses along the crossing, seen beside the first row.
  for (int side : {-1, 1})
    for (int way : {-1, 1})
      for (int y : {27, 44, 61}) {
        Body house;
        house.half = {random.uniform(5, 8), random.uniform(5, 7), 0};
        house.half[2] = random.uniform(3, 6);
        house.reflectivity = random.uniform(0.25, 0.55);
        house.hasWindows = true;
        addBody(house, crossingX + way * (crossingHalf + 5 + house.half[0]),
                side * y, -1);
      }
}

void Street::addCar(double x, double y, double turns, Random &random) {
  double reflectivity = random.uniform(0.12, 0.75);
  bool isVan = random.chance(0.18);
  Rotation turn = makeRotation(turns);
  double length = random.uniform(1.95, 2.25) + (isVan ? 0.35 : 0);

  Body body;
  body.turn = turn;
  body.reflectivity = reflectivity;
  body.half = {length, 0.88, 0.34};
  body.leanX = 0.12;
  body.leanY = 0.06;
  addBody(body, x, y, 0.22);

  Body cabin = body;
  cabin.half = {isVan ? length - 0.25 : 1.35, 0.82, isVan ? 0.55 : 0.3};
  cabin.leanX = isVan ? 0.25 : 0.75;
  cabin.leanY = 0.25;
  cabin.reflectivity = isVan ? reflectivity : 0.08;
  double back = isVan ? 0 : -0.25;
  addBody(cabin, x + back * turn.cosine, y + back * turn.sine, 0.88);

  for (int end : {-1, 1}) {
    Body axle;
    axle.turn = turn;
    axle.reflectivity = 0.06;
    axle.half = {0.3, 0.86, 0.3};
    double forward = end * (length - 0.8);
    addBody(axle, x + forward * turn.cosine, y + forward * turn.sine, 0);
  }
}

void Street::addCars(Random &random) {
  for (int side : {-1, 1})
    for (int place = 0; place < 19; ++place) {
      double x = -58 + 6.1 * place + random.uniform(-0.4, 0.4);
      if (random.chance(0.62) && !isCrossing(x, 5)) {
        double y = side * (roadHalf - 1.15 + random.uniform(-0.1, 0.1)),
               turns = (side > 0 ? 0.5 : 0) + random.uniform(-0.006, 0.006);
        addCar(x, y, turns, random);
      }
    }
  // Moving ones, away from the sensor's own place.
  for (double place : {-33.0, -19.0, 16.0, 40.0}) {
    double x = place + random.uniform(-4, 4),
           turns = (place > 0 ? 0 : 0.5) + random.uniform(-0.01, 0.01);
    addCar(x, place > 0 ? -1.9 : 2.1, turns, random);
  }
  addCar(crossingX + 2, random.uniform(11, 20), 0.75, random);
}

void Street::addTree(double x, double y, Random &random) {
  Body trunk;
  trunk.shape = Body::Shape::Cylinder;
  trunk.half = {0.15, 0.15, random.uniform(0.55, 1.0)};
  trunk.reflectivity = 0.25;
  addBody(trunk, x, y, 0);
  double low = 2 * trunk.half[2];
  for (unsigned i = 0; i < 4; ++i) {
    Body crown;
    crown.shape = Body::Shape::Ellipsoid;
    double size = random.uniform(0.9, 1.7);
    crown.half = {size, size, size * random.uniform(0.75, 1.05)};
    crown.reflectivity = random.uniform(0.3, 0.5);
    crown.density = 0.16;
    double besideX = random.uniform(-0.9, 0.9),
           besideY = random.uniform(-0.9, 0.9),
           lift = random.uniform(-0.5, 0.9);
    addBody(crown, x + besideX, y + besideY, low + lift);
  }
}

void Street::addPole(double x, double y, Random &random) {
  Body pole;
  pole.shape = Body::Shape::Cylinder;
  pole.half = {0.07, 0.07, random.uniform(1.4, 3.2)};
  pole.reflectivity = 0.4;
  addBody(pole, x, y, 0);
  if (random.chance(0.5)) {
    Body sign;
    sign.half = {0.02, 0.3, 0.3};
    sign.reflectivity = 0.95;
    addBody(sign, x - 0.1, y, 2 * pole.half[2] - 0.7);
  }
}

void Street::addFurniture(Random &random) {
  for (int side : {-1, 1})
    for (int place = 0; place < 19; ++place) {
      double x = -60 + 6.5 * place + random.uniform(-2, 2);
      double y = side * (roadHalf + random.uniform(0.5, 1.0)),
             kind = random.uniform(0, 1);
      if (isCrossing(x, 1))
        continue;
      if (kind < 0.5)
        addTree(x, side * (roadHalf + 1.6), random);
      else if (kind < 0.8)
        addPole(x, y, random);
    }
  for (unsigned i = 0; i < 26; ++i) {
    Body bush;
    bush.shape = Body::Shape::Ellipsoid;
    bush.half = {random.uniform(0.5, 1.6), random.uniform(0.4, 0.8),
                 random.uniform(0.4, 0.8)};
    bush.reflectivity = random.uniform(0.3, 0.5);
    bush.density = 0.35;
    double x = random.uniform(-55, 55), side = random.chance(0.5) ? 1 : -1;
    if (!isCrossing(x, 2))
      addBody(bush, x, side * (walkHalf + random.uniform(0.1, 1.2)), -0.2);
  }
  for (unsigned i = 0; i < 16; ++i) {
    double x = random.uniform(-35, 35), side = random.chance(0.5) ? 1 : -1;
    addPerson(x, side * random.uniform(roadHalf + 0.8, walkHalf - 0.5), random);
  }
}

void Street::addPerson(double x, double y, Random &random) {
  Body legs;
  legs.shape = Body::Shape::Cylinder;
  legs.reflectivity = random.uniform(0.1, 0.4);
  legs.half = {0.13, 0.13, random.uniform(0.38, 0.46)};
  addBody(legs, x, y, 0);
  Body trunk = legs;
  trunk.shape = Body::Shape::Ellipsoid;
  trunk.reflectivity = random.uniform(0.15, 0.6);
  trunk.half = {0.17, 0.26, 0.36};
  addBody(trunk, x, y, 2 * legs.half[2] - 0.12);
  Body head = legs;
  head.shape = Body::Shape::Ellipsoid;
  head.reflectivity = 0.45;
  head.half = {0.1, 0.09, 0.13};
  addBody(head, x, y, 2 * (legs.half[2] + trunk.half[2]) - 0.12);
}

Street::Street(uint64_t seed) {
  Random random(seed);
  slopeX = random.uniform(-0.018, 0.018);
  slopeY = random.uniform(-0.012, 0.012);
  bend = random.uniform(-0.0004, 0.0004);
  crossingX = random.uniform(14, 30);
  addBuildings(random);
  addCars(random);
  addFurniture(random);
}

double Street::getGround(double x, double y) const {
  double height = -sensorHeight + slopeX * x + slopeY * y + bend * x * x;
  double side = std::abs(y);
  if (side > roadHalf && !isCrossing(x, 0))
    return height + kerb;
  // The road is a little higher in its middle.
  return height + (side < roadHalf ? 0.06 * (1 - side / roadHalf) : 0);
}

double Street::getGroundReflectivity(double x, double y, Random &random) const {
  double side = std::abs(y), rough = random.uniform(-0.05, 0.05);
  if (side > walkHalf && !isCrossing(x, 0))
    return 0.36 + rough; // grass
  if (side > roadHalf && !isCrossing(x, 0))
    return 0.27 + rough; // paving
  bool isDash = x - 6 * std::floor(x / 6) < 3;
  bool isMark = (side < 0.08 && isDash && !isCrossing(x, 1)) ||
                (std::abs(side - (roadHalf - 2.3)) < 0.06 && !isCrossing(x, 0));
  // The stripes of a crossing for people.
  bool isStripe = std::abs(x - (crossingX - crossingHalf - 2)) < 1.5 &&
                  y - std::floor(y) < 0.5 && side < roadHalf;
  return (isMark || isStripe ? 0.7 : 0.14) + rough;
}

/// Marches along the ray to the first step below ground, then halves it.
std::optional<Hit> Street::castGround(const Direction &direction,
                                      Random &random) const {
  auto isBelow = [&](double range) {
    return direction[2] * range <
           getGround(direction[0] * range, direction[1] * range);
  };
  double above = 1, below = 1;
  while (!isBelow(below)) {
    above = below;
    below += 0.1 + 0.01 * below;
    if (below > reach)
      return std::nullopt;
  }
  for (unsigned step = 0; step < 16; ++step) {
    double middle = (above + below) / 2;
    (isBelow(middle) ? below : above) = middle;
  }
  double x = direction[0] * below, y = direction[1] * below;
  Hit hit;
  hit.range = below;
  hit.incidence = std::abs(direction[2] - slopeX * direction[0]);
  hit.reflectivity = getGroundReflectivity(x, y, random);
  return hit;
}

std::optional<Hit> Street::cast(const Direction &direction,
                                Random &random) const {
  std::optional<Hit> nearest = castGround(direction, random);
  for (const Body &body : bodies)
    if (std::optional<Hit> hit = body.intersect(direction, random))
      if (hit->range < (nearest ? nearest->range : reach))
        nearest = hit;
  return nearest;
}

} // namespace sparseconv::detail
