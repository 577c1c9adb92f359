// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifier of downsample refuses of a `coarsening`, and what it says.

#p = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [32, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{merges cells with the floor rule only}}
  %h = sparseconv.downsample %c by [2, 2] cover offsets(box<3, 3>) {coarsening = #sparseconv.coarsening<merge>} : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [32, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap of the cells of a clip region, but there is none}}
  %h = sparseconv.downsample %c by [2, 2] cover offsets(box<3, 3>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 4, bits = [28], guard = [32]>
!fine = !sparseconv.coords<1, stride = [1], #p>
!half = !sparseconv.coords<1, stride = [2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap on two axes and more, but there is one}}
  %h = sparseconv.downsample %c by [2] clip(<[0] to [64]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  return
}

// -----

// The highest coordinate is 8159: one is to be left.
#p = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [32, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap for a clip region within -8160 and 8159 on axis 1, but it is from 0 to 8160}}
  %h = sparseconv.downsample %c by [2, 2] clip(<[-8160, 0] to [8159, 8160]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 0, bits = [31, 30], guard = [32, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap for axes of at most 30 bits, but axis 0 has 31}}
  %h = sparseconv.downsample %c by [2, 2] clip(<[0, 0] to [64, 64]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [32, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap of the cells of a clip region, which has none}}
  %h = sparseconv.downsample %c by [2, 2] clip(<[0, 5] to [64, 6]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 4, bits = [20, 20, 20], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap of at most 268435456 cells, 16384 of them on axis 0 and 262144 alike on the first two axes, but the clip region has more}}
  %h = sparseconv.downsample %c by [2, 2, 2] clip(<[0, 0, -524000] to [4, 4, 524000]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  return
}

// -----

// The lowest cell begins below the packing.
#p = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [32, 31]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{cannot merge cells of 2 on axis 1, as the lowest coordinate -8161 of the packing begins none}}
  %h = sparseconv.downsample %c by [2, 2] {coarsening = #sparseconv.coarsening<merge>} : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 4, bits = [14, 14, 14], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!coarse = !sparseconv.coords<3, stride = [8, 4, 8], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{cannot merge cells of 32 columns, at most 16}}
  %h = sparseconv.downsample %c by [8, 4, 8] {coarsening = #sparseconv.coarsening<merge>} : !fine -> !coarse
  return
}

// -----

// Who looks at all cells of all batch items needs them to be few.
#p = #sparseconv.packing<i64, batch = 9, bits = [14, 14], guard = [32, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap for batch indices of at most 8 bits, but they have 9}}
  %h = sparseconv.downsample %c by [2, 2] clip(<[0, 0] to [64, 64]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 4, bits = [20, 14], guard = [32, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap of at most 268435456 cells, 16384 of them on axis 0}}
  %h = sparseconv.downsample %c by [2, 2] clip(<[0, 0] to [32770, 2]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 4, bits = [14, 14], guard = [32, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!coarse = !sparseconv.coords<2, stride = [13, 5], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap for at most 64 offsets}}
  %h = sparseconv.downsample %c by [13, 5] clip(<[0, 0] to [64, 64]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !coarse
  return
}

// -----

// Cells of 6 coordinates on an axis, of which a key reaches 4.
#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [4, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!sixth = !sparseconv.coords<2, stride = [6, 6], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{makes a bitmap of cells within the packing's guard}}
  %h = sparseconv.downsample %c by [6, 6] clip(<[0, 0] to [64, 64]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !sixth
  return
}
