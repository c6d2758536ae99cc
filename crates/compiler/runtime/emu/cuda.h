// The part of the CUDA driver's header that generated programs use: tensor maps. The
// emulation has no TMA, so a map is only checked, for what makes the driver refuse it.
#pragma once

#include "cuda_runtime.h"

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 };
struct alignas(64) CUtensorMap {
    cuuint64_t opaque[16];
};
enum CUtensorMapDataType {
    CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
    CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
    CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
    CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8
};
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE = 0 };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_NONE = 0 };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_NONE = 0, CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2 };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 };

inline CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *base,
                                       const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                       const cuuint32_t *element_strides, CUtensorMapInterleave, CUtensorMapSwizzle,
                                       CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    const bool eight = type == CU_TENSOR_MAP_DATA_TYPE_UINT64 || type == CU_TENSOR_MAP_DATA_TYPE_INT64 ||
                       type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    const cuuint64_t bytes = eight ? 8 : 4;
    bool good = hexcc_emu::address(map) % 64 == 0 && hexcc_emu::address(base) % 16 == 0 && rank >= 1 && rank <= 5;
    good = good && box[0] * bytes % 16 == 0;
    for (cuuint32_t d = 0; good && d < rank; d++) {
        good = sizes[d] >= 1 && sizes[d] <= 1ull << 32 && box[d] >= 1 && box[d] <= 256 && element_strides[d] == 1;
        if (d > 0) good = good && strides[d - 1] % 16 == 0 && strides[d - 1] < 1ull << 40;
    }
    if (good) *map = CUtensorMap{};
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound = 1 };
enum { cudaEnableDefault = 0 };
inline cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long,
                                                    cudaDriverEntryPointQueryResult *result) {
    const bool known = strcmp(name, "cuTensorMapEncodeTiled") == 0;
    *function = known ? reinterpret_cast<void *>(&cuTensorMapEncodeTiled) : nullptr;
    *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
