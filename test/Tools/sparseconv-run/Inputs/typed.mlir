func.func @main(%h: tensor<6xf16> {sparseconv.name = "half.bias"},
                %b: tensor<6xbf16> {sparseconv.name = "brain.bias"},
                %s: tensor<6xf32> {sparseconv.name = "single.bias"})
    -> (tensor<6xf16> {sparseconv.name = "half"}, tensor<6xbf16> {sparseconv.name = "brain"},
        tensor<6xf32> {sparseconv.name = "single"}) {
  return %h, %b, %s : tensor<6xf16>, tensor<6xbf16>, tensor<6xf32>
}
