// Real CUDA splits its runtime over more headers; the emulation does not.
#pragma once
#include "cuda_runtime.h"
