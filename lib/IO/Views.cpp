//===- Views.cpp - views of voxels ----------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include <algorithm>
#include <cmath>

namespace sparseconv::detail {

/// Cells smaller than this many samples are drawn larger, so that a far or
/// sparse surface still reads as one.
static constexpr float leastSamples = 3.6f;

void Scene::findBounds() {
  if (cells.empty())
    return;
  std::vector<double> values(cells.size());
  for (unsigned axis = 0; axis < 3; ++axis) {
    std::transform(cells.begin(), cells.end(), values.begin(),
                   [&](const Cell &cell) { return cell.corner[axis]; });
    std::sort(values.begin(), values.end());
    size_t cut = values.size() / 50;
    double robustLow = values[cut],
           robustHigh = values[values.size() - 1 - cut];
    double robust = robustHigh - robustLow + size[axis],
           whole = values.back() - values.front() + size[axis];
    bool hasStrays = whole > 1.5 * robust;
    low[axis] = hasStrays ? robustLow - 0.05 * robust : values.front();
    high[axis] =
        size[axis] + (hasStrays ? robustHigh + 0.05 * robust : values.back());
  }
}

double drawTopView(const Scene &scene, Canvas &canvas) {
  double width = scene.high[0] - scene.low[0],
         height = scene.high[1] - scene.low[1];
  double scale =
      0.96 * std::min(canvas.getWidth() / width, canvas.getHeight() / height);
  double middleX = (scene.low[0] + scene.high[0]) / 2,
         middleY = (scene.low[1] + scene.high[1]) / 2;
  double tall = std::max(scene.high[2] - scene.low[2], scene.size[2]);

  for (const Cell &cell : scene.cells) {
    ScreenPoint centre;
    centre.x = static_cast<float>(
        (cell.corner[0] + scene.size[0] / 2 - middleX) * scale +
        canvas.getWidth() / 2.0);
    centre.y = static_cast<float>(
        (middleY - cell.corner[1] - scene.size[1] / 2) * scale +
        canvas.getHeight() / 2.0);
    double height = (cell.corner[2] - scene.low[2]) / tall;
    centre.depth = static_cast<float>(-height);
    float light =
        static_cast<float>(0.78 + 0.22 * std::clamp(height, 0.0, 1.0));
    // Cells that are large enough to be seen one by one get a thin gap.
    float samples = static_cast<float>(scale * scene.size[0]);
    samples = samples > 16 ? samples * 0.94f : std::max(samples, leastSamples);
    canvas.drawSquare(centre, samples, scaleColour(cell.rgb, light));
  }
  // A wall as tall as the scene makes a full step.
  canvas.shade([](float depth) { return 4 * depth; });
  return scale;
}

namespace {
/// A pinhole camera. Screen units are multiples of the focal length.
struct Camera {
  Vector position, right, up, forward;
  double focal = 1, centreX = 0, centreY = 0;

  Vector toCamera(const Vector &p) const {
    Vector d = {p[0] - position[0], p[1] - position[1], p[2] - position[2]};
    auto dot = [&](const Vector &a) {
      return a[0] * d[0] + a[1] * d[1] + a[2] * d[2];
    };
    return {dot(right), dot(up), dot(forward)};
  }
  /// The inverse of the distance is linear on the screen; negated, smaller is
  /// nearer.
  ScreenPoint project(const Vector &seen) const {
    return {static_cast<float>(centreX + focal * seen[0] / seen[2]),
            static_cast<float>(centreY - focal * seen[1] / seen[2]),
            static_cast<float>(-1 / seen[2])};
  }
};
} // namespace

/// Looks from `distance` at `target`: turned by `azimuth` from the x axis, and
/// down by `elevation`.
static Camera makeCamera(const Vector &target, double distance, double azimuth,
                         double elevation, const Canvas &canvas) {
  Camera camera;
  double ca = std::cos(azimuth), sa = std::sin(azimuth),
         ce = std::cos(elevation), se = std::sin(elevation);
  camera.forward = {ca * ce, sa * ce, -se};
  camera.right = {sa, -ca, 0};
  camera.up = {ca * se, sa * se, ce};
  for (unsigned axis = 0; axis < 3; ++axis)
    camera.position[axis] = target[axis] - distance * camera.forward[axis];
  // A horizontal field of view of about 55 degrees.
  camera.focal = 0.96 * canvas.getWidth();
  camera.centreX = canvas.getWidth() / 2.0;
  camera.centreY = canvas.getHeight() / 2.0;
  return camera;
}

/// The share of the cells that the camera sees.
static double countVisible(const Scene &scene, const Camera &camera,
                           const Canvas &canvas, double nearest) {
  size_t visible = 0;
  for (const Cell &cell : scene.cells) {
    Vector seen = camera.toCamera(cell.corner);
    if (seen[2] < nearest)
      continue;
    ScreenPoint p = camera.project(seen);
    visible += p.x >= 0 && p.y >= 0 && p.x < canvas.getWidth() &&
               p.y < canvas.getHeight();
  }
  return static_cast<double>(visible) / scene.cells.size();
}

static void drawCube(const Cell &cell, const Scene &scene, const Camera &camera,
                     double nearest, Canvas &canvas) {
  Vector seen = camera.toCamera({cell.corner[0] + scene.size[0] / 2,
                                 cell.corner[1] + scene.size[1] / 2,
                                 cell.corner[2] + scene.size[2] / 2});
  double largest = *std::max_element(scene.size.begin(), scene.size.end());
  if (seen[2] < nearest + largest)
    return;
  float samples = static_cast<float>(camera.focal * largest / seen[2]);
  if (samples < 1.5f * leastSamples) {
    canvas.drawSquare(camera.project(seen), std::max(samples, leastSamples),
                      scaleColour(cell.rgb, 0.92f));
    return;
  }

  // The three faces towards the camera, each with its own light.
  static constexpr float light[] = {0.68f, 0.84f, 1.0f};
  for (unsigned axis = 0; axis < 3; ++axis) {
    unsigned u = (axis + 1) % 3, v = (axis + 2) % 3;
    bool isFar = camera.position[axis] > cell.corner[axis] + scene.size[axis];
    bool isNear = camera.position[axis] < cell.corner[axis];
    if (!isFar && !isNear)
      continue;
    ScreenPoint corners[4];
    for (unsigned i = 0; i < 4; ++i) {
      Vector p = cell.corner;
      p[axis] += isFar ? scene.size[axis] : 0;
      p[u] += i == 1 || i == 2 ? scene.size[u] : 0;
      p[v] += i >= 2 ? scene.size[v] : 0;
      corners[i] = camera.project(camera.toCamera(p));
    }
    canvas.drawQuad(corners, scaleColour(cell.rgb, light[axis]));
  }
}

void drawPerspective(const Scene &scene, Canvas &canvas) {
  if (scene.cells.empty())
    return;
  constexpr double degree = 3.14159265358979323846 / 180;
  Vector target;
  double radius = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    target[axis] = (scene.low[axis] + scene.high[axis]) / 2;
    radius = std::max(radius, scene.high[axis] - scene.low[axis]);
  }
  // Along the longer side of the scene, a little from the left.
  bool isAlongX = scene.high[0] - scene.low[0] >= scene.high[1] - scene.low[1];
  double azimuth = (isAlongX ? -28 : 62) * degree, elevation = 27 * degree;
  double nearest = 0.01 * radius;

  // The closest distance that shows most cells.
  double close = 0.2 * radius, away = 4 * radius;
  for (unsigned step = 0; step < 12; ++step) {
    double middle = (close + away) / 2;
    Camera camera = makeCamera(target, middle, azimuth, elevation, canvas);
    bool showsEnough = countVisible(scene, camera, canvas, nearest) > 0.88;
    (showsEnough ? away : close) = middle;
  }
  Camera camera = makeCamera(target, away, azimuth, elevation, canvas);
  for (const Cell &cell : scene.cells)
    drawCube(cell, scene, camera, nearest, canvas);
  // A step by a twelfth of the distance is a deep one.
  canvas.shade([](float depth) {
    return depth < 0 ? 12 * std::log2(-1 / depth) : 1e9f;
  });
}

} // namespace sparseconv::detail
