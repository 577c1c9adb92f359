# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's voxels of point clouds."""

import torch

from ...errors import ArgumentError


class PointToVoxel:
    """Collects points by voxels, on the device of the points.

    vsize_xyz                   the size of a voxel on each axis
    coors_range_xyz             the lowest place on each axis, then the highest
    num_point_features          the columns of a point, its place first
    max_num_voxels              points in further voxels are left out
    max_num_points_per_voxel    further points of a voxel are left out

        generate = PointToVoxel([1.0, 1.0], [0.0, 0.0, 8.0, 8.0], 3, 100, 5)
        voxels, indices, counts = generate(torch.rand(50, 3) * 8)

    gives the points of each voxel [voxels, points, columns] in f32, with zeros where there
    are fewer, the voxels' indices [voxels, axes] in int32, the last axis of a place first, and
    the numbers of their points. Voxels are in the order of their first points."""

    def __init__(self, vsize_xyz, coors_range_xyz, num_point_features, max_num_voxels,
                 max_num_points_per_voxel, device=None):  # fmt: skip
        dim = self.ndim = len(vsize_xyz)
        if len(coors_range_xyz) != 2 * dim:
            raise ArgumentError(
                f"coors_range_xyz: expects {2 * dim} numbers, but found {len(coors_range_xyz)}"
            )
        self._size, self._low = list(vsize_xyz), list(coors_range_xyz[:dim])
        high = list(coors_range_xyz[dim:])
        self._cells = [round((h - l) / v) for l, h, v in zip(self._low, high, self._size)]
        # As in spconv, what layers show has the last axis of a place first.
        self.vsize, self.grid_size = self._size[::-1], self._cells[::-1]
        self.coors_range = self._low[::-1] + high[::-1]
        self.num_point_features, self.max_num_voxels = num_point_features, max_num_voxels
        self.max_num_points_per_voxel = max_num_points_per_voxel
        self.device = torch.device("cpu" if device is None else device)

    def __call__(self, pc, clear_voxels=True, empty_mean=False):
        return self.generate_voxel_with_id(pc, clear_voxels, empty_mean)[:3]

    def generate_voxel_with_id(self, pc, clear_voxels=True, empty_mean=False):
        """Gives for each point the number of its voxel, too, or -1."""
        columns, most_points = self.num_point_features, self.max_num_points_per_voxel
        if pc.dim() != 2 or pc.shape[1] != columns:
            raise ArgumentError(
                f"expects points [points, {columns}], but found the shape {tuple(pc.shape)}"
            )
        cells, voxel_of = self._number(pc)
        count = int(voxel_of.max()) + 1 if len(pc) else 0
        order = torch.argsort(voxel_of, stable=True)
        order = order[voxel_of[order] >= 0]
        numbers = voxel_of[order]
        counts = torch.bincount(numbers, minlength=count)
        places = torch.arange(len(numbers), device=pc.device) - (counts.cumsum(0) - counts)[numbers]
        keeps = places < most_points
        counts = counts.clamp(max=most_points)
        voxels = pc.new_zeros((count, most_points, columns), dtype=torch.float32)
        voxels[numbers[keeps], places[keeps]] = pc[order[keeps]].float()
        if empty_mean and count:
            mean = voxels.sum(1, keepdim=True) / counts[:, None, None]
            is_there = torch.arange(most_points, device=pc.device) < counts[:, None]
            voxels = torch.where(is_there[:, :, None], voxels, mean)
        indices = cells.new_zeros((count, cells.shape[1]), dtype=torch.int32)
        first = places == 0
        indices[numbers[first]] = cells[order[first]].flip(1).int()
        return voxels, indices, counts.int(), voxel_of

    def _number(self, pc):
        """The cell of each point, and the number of its voxel or -1."""
        low, size = (pc.new_tensor(numbers) for numbers in (self._low, self._size))
        cells = torch.floor((pc[:, : self.ndim] - low) / size).long()
        limit = torch.tensor(self._cells, device=pc.device)
        inside = ((cells >= 0) & (cells < limit)).all(1)
        key = cells.new_zeros(len(pc))
        for axis in range(self.ndim):
            key = key * self._cells[axis] + cells[:, axis]
        key = torch.where(inside, key, -1)
        found, inverse = torch.unique(key, return_inverse=True)
        rows = torch.arange(len(pc), device=pc.device)
        first = torch.full_like(found, len(pc)).scatter_reduce_(0, inverse, rows, "amin")
        first = torch.where(found < 0, len(pc), first)  # what is outside comes last
        rank = torch.empty_like(found)
        rank[torch.argsort(first)] = torch.arange(len(found), device=pc.device)
        number = rank[inverse]
        return cells, torch.where(inside & (number < self.max_num_voxels), number, -1)


class _Point2VoxelCPU:
    """Collects points by voxels on the host, as `PointToVoxel` does, whose arguments it has.

        generate = Point2VoxelCPU3d([1, 1, 1], [0, 0, 0, 8, 8, 8], 4, 100, 5)
        voxels, indices, counts = generate.point_to_voxel(numpy.ones((50, 4), "float32"))

    Points are an array of numpy or a tensor of torch. The results are tensors of torch, whose
    `numpy()` gives arrays."""

    dim = None

    def __init__(self, vsize_xyz, coors_range_xyz, num_point_features, max_num_voxels,
                 max_num_points_per_voxel):  # fmt: skip
        if len(vsize_xyz) != self.dim:
            raise ArgumentError(
                f"vsize_xyz: expects {self.dim} numbers, but found {len(vsize_xyz)}"
            )
        self._generate = PointToVoxel(
            vsize_xyz, coors_range_xyz, num_point_features, max_num_voxels,
            max_num_points_per_voxel,
        )  # fmt: skip

    @property
    def grid_size(self):
        return self._generate.grid_size

    def point_to_voxel(self, pc, clear_voxels=True):
        return self._generate(torch.as_tensor(pc))

    def point_to_voxel_empty_mean(self, pc, clear_voxels=True):
        return self._generate(torch.as_tensor(pc), empty_mean=True)


for _dim in (1, 2, 3, 4):
    _name = f"Point2VoxelCPU{_dim}d"
    _body = {"dim": _dim, "__doc__": _Point2VoxelCPU.__doc__, "__module__": __name__}
    globals()[_name] = type(_name, (_Point2VoxelCPU,), _body)


def gather_features_by_pc_voxel_id(seg_res_features, pc_voxel_id, invalid_value=0):
    """The features of each point's voxel, and `invalid_value` for points of none."""
    result = seg_res_features[pc_voxel_id.clamp(min=0)]
    return result.masked_fill((pc_voxel_id < 0)[:, None], invalid_value)
