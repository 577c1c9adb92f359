// RUN: sparseconv-translate %s --network-to-plan --chip=sm_80 | sparseconv-translate --plan-to-ptx | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: sparseconv-translate %s --network-to-plan --chip=sm_90a | sparseconv-translate --plan-to-ptx | FileCheck %s

// A convolution loads rows of x in the widest pieces that its channels keep
// aligned, up to 16 bytes. It multiplies the offsets that a tile of rows has
// and no others. The lowest bit of the tile's mask says which offset comes
// next, and the products of that one follow in the loop. Neighbours of two rows
// come by one load of 8 bytes in all of them.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @main(%points: tensor<?x4xi32>, %x48: tensor<?x48xf16>, %w48: tensor<27x48x12xf16>,
                %w12: tensor<27x12x6xf16>, %w6: tensor<27x6x5xf16>, %w5: tensor<27x5x16xf16>)
    -> tensor<?x16xf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map

  // 48 channels: three steps of 16, two columns of 8; once in the loop, and once
  // for the last offset of a tile.
  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   @%p{{[0-9]+}} ld.global.{{(nc\.)?(b16|b32)}}
  // CHECK-NOT:   mma.sync
  // CHECK:       @%p{{[0-9]+}} ld.global.{{(nc\.)?}}v4.b32
  // SM80:        [[LOOP:\$L__BB[0-9_]+]]:
  // SM80:        add.s32 [[LESS:%r[0-9]+]], [[MASK:%r[0-9]+]], -1;
  // SM80:        not.b32 [[NOT:%r[0-9]+]], [[MASK]];
  // SM80:        and.b32 [[BELOW:%r[0-9]+]], [[NOT]], [[LESS]];
  // SM80:        popc.b32 %r{{[0-9]+}}, [[BELOW]];
  // SM80:        and.b32 [[MASK]], [[LESS]], [[MASK]];
  // CHECK-COUNT-6: mma.sync
  // SM80-NOT:    mma.sync
  // SM80:        bra [[LOOP]];
  // CHECK-COUNT-6: mma.sync
  // CHECK-NOT:   mma.sync
  // CHECK:       ret;
  %x12 = sparseconv.conv %x48, %w48, %map : tensor<?x48xf16>, tensor<27x48x12xf16>, !map -> tensor<?x12xf16>

  // 12: rows begin at multiples of 8 bytes.
  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   @%p{{[0-9]+}} ld.global.{{(nc\.)?(v4|b16|b32)}}
  // CHECK:       @%p{{[0-9]+}} ld.global.{{(nc\.)?}}v2.b32
  // CHECK-NOT:   @%p{{[0-9]+}} ld.global.{{(nc\.)?(v4|b16|b32)}}
  // CHECK:       ret;
  %x6 = sparseconv.conv %x12, %w12, %map : tensor<?x12xf16>, tensor<27x12x6xf16>, !map -> tensor<?x6xf16>

  // 6: of 4 bytes.
  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   @%p{{[0-9]+}} ld.global.{{(nc\.)?(v4|b16)}}
  // CHECK:       @%p{{[0-9]+}} ld.global.{{(nc\.)?}}b32
  // CHECK-NOT:   @%p{{[0-9]+}} ld.global.{{(nc\.)?(v4|b16)}}
  // CHECK:       ret;
  %x5 = sparseconv.conv %x6, %w6, %map : tensor<?x6xf16>, tensor<27x6x5xf16>, !map -> tensor<?x5xf16>

  // An odd number: one channel at a time.
  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   @%p{{[0-9]+}} ld.global.{{(nc\.)?(v4|b32)}}
  // CHECK:       @%p{{[0-9]+}} ld.global.{{(nc\.)?}}b16
  // CHECK-NOT:   @%p{{[0-9]+}} ld.global.{{(nc\.)?(v4|b32)}}
  // CHECK:       ret;
  %y = sparseconv.conv %x5, %w5, %map : tensor<?x5xf16>, tensor<27x5x16xf16>, !map -> tensor<?x16xf16>
  return %y : tensor<?x16xf16>
}
