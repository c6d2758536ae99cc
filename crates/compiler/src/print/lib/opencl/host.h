
// Kernels of a part of the program: OpenCL C, built once when the part first runs.
struct hexcc_kernel {
  const char *name;
  cl_kernel made;
};

struct hexcc_program {
  const char *name; // of the part
  const char **source;
  cl_uint n_lines;
  int needs; // of the device, to compute what C computes
  struct hexcc_kernel *kernels;
  int n_kernels;
  int is_built;
};

#define HEXCC_FLOAT 1     // float as in IEEE 754
#define HEXCC_QUOTIENTS 2 // quotients and square roots of float that are rounded correctly
#define HEXCC_DOUBLE 4

// A part of the program while it runs.
struct hexcc_run {
  struct hexcc_program *program;
  int *said;  // counts how often the program has said that its own loops run; 0 where it has to end
  int kept;   // the program's arrays are as they were
  int failed; // its own loops are to run
  cl_mem *buffers;
  int n_buffers;
};

struct hexcc_argument {
  size_t size;
  const void *value;
};
#define HEXCC_ARGUMENT(type, value) {sizeof(type), &(const type){value}}

static cl_context hexcc_context;
static cl_device_id hexcc_device;
static cl_command_queue hexcc_queue;

static inline const char *hexcc_error_name(cl_int error) {
  static char number[32];
#define HEXCC_NAME(name) case name: return #name
  switch (error) {
    HEXCC_NAME(CL_DEVICE_NOT_FOUND);
    HEXCC_NAME(CL_DEVICE_NOT_AVAILABLE);
    HEXCC_NAME(CL_COMPILER_NOT_AVAILABLE);
    HEXCC_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    HEXCC_NAME(CL_OUT_OF_RESOURCES);
    HEXCC_NAME(CL_OUT_OF_HOST_MEMORY);
    HEXCC_NAME(CL_BUILD_PROGRAM_FAILURE);
    HEXCC_NAME(CL_INVALID_VALUE);
    HEXCC_NAME(CL_INVALID_DEVICE);
    HEXCC_NAME(CL_INVALID_CONTEXT);
    HEXCC_NAME(CL_INVALID_COMMAND_QUEUE);
    HEXCC_NAME(CL_INVALID_MEM_OBJECT);
    HEXCC_NAME(CL_INVALID_BINARY);
    HEXCC_NAME(CL_INVALID_BUILD_OPTIONS);
    HEXCC_NAME(CL_INVALID_PROGRAM);
    HEXCC_NAME(CL_INVALID_PROGRAM_EXECUTABLE);
    HEXCC_NAME(CL_INVALID_KERNEL_NAME);
    HEXCC_NAME(CL_INVALID_KERNEL);
    HEXCC_NAME(CL_INVALID_ARG_INDEX);
    HEXCC_NAME(CL_INVALID_ARG_VALUE);
    HEXCC_NAME(CL_INVALID_ARG_SIZE);
    HEXCC_NAME(CL_INVALID_KERNEL_ARGS);
    HEXCC_NAME(CL_INVALID_WORK_GROUP_SIZE);
    HEXCC_NAME(CL_INVALID_WORK_ITEM_SIZE);
    HEXCC_NAME(CL_INVALID_GLOBAL_OFFSET);
    HEXCC_NAME(CL_INVALID_OPERATION);
    HEXCC_NAME(CL_INVALID_BUFFER_SIZE);
    HEXCC_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
  case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
  default: snprintf(number, sizeof number, "error %d of OpenCL", (int)error); return number;
  }
#undef HEXCC_NAME
}

// Says what has gone wrong, and ends the program unless that can run its own loops.
static inline void hexcc_fail(struct hexcc_run *run, const char *what, const char *why) {
  const char *otherwise = !run->kept ? "" : run->said ? "; the program's own loops run" : "; made with hexcc --fallback, the program would run its own loops";
  if (!run->said || !run->kept || !(*run->said)++) fprintf(stderr, "%s: %s: %s%s\n", run->program->name, what, why, otherwise);
  if (!run->said || !run->kept) exit(EXIT_FAILURE);
  run->failed = 1;
}

// Whether all is well.
static inline int hexcc_check(struct hexcc_run *run, cl_int error, const char *what) {
  if (error != CL_SUCCESS) hexcc_fail(run, what, hexcc_error_name(error));
  return error == CL_SUCCESS;
}

// The first device whose name contains HEXCC_OPENCL_DEVICE, else the first GPU, else any.
static inline int hexcc_find_device(struct hexcc_run *run) {
  const char *wanted = getenv("HEXCC_OPENCL_DEVICE");
  cl_platform_id platforms[16];
  cl_uint n_platforms = 0;
  if (!hexcc_check(run, clGetPlatformIDs(16, platforms, &n_platforms), "looking for OpenCL")) return 0;
  if (n_platforms > 16) n_platforms = 16;
  cl_device_id found = 0;
  int is_gpu = 0;
  for (cl_uint p = 0; p < n_platforms; ++p) {
    cl_device_id devices[16];
    cl_uint n = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &n) != CL_SUCCESS) continue;
    for (cl_uint d = 0; d < n && d < 16; ++d) {
      char name[256] = "";
      cl_device_type type = 0;
      clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name - 1, name, 0);
      clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, 0);
      if (wanted && *wanted && !strstr(name, wanted)) continue;
      if (found && (is_gpu || !(type & CL_DEVICE_TYPE_GPU))) continue;
      found = devices[d];
      is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    }
  }
  if (!found) hexcc_fail(run, "looking for a device of OpenCL", wanted && *wanted ? "none has the name in HEXCC_OPENCL_DEVICE" : "there is none");
  hexcc_device = found;
  return found != 0;
}

// Whether the device computes what C computes.
static inline int hexcc_suffices(struct hexcc_run *run) {
  const int needs = run->program->needs;
  const cl_device_fp_config ieee = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST;
  cl_device_fp_config of_float = 0, of_double = 0;
  clGetDeviceInfo(hexcc_device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof of_float, &of_float, 0);
  clGetDeviceInfo(hexcc_device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof of_double, &of_double, 0);
  const char *lacks = 0;
  if ((needs & HEXCC_DOUBLE) && (of_double & ieee) != ieee) lacks = "it has no numbers of type double (cl_khr_fp64)";
  if ((needs & HEXCC_FLOAT) && (of_float & ieee) != ieee) lacks = "its numbers of type float are not those of IEEE 754";
  if ((needs & HEXCC_QUOTIENTS) && !(of_float & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)) lacks = "it does not round quotients and square roots of float as C does";
  if (lacks) hexcc_fail(run, "the device of OpenCL", lacks);
  return !lacks;
}

// Builds the kernels.
static inline int hexcc_build(struct hexcc_run *run) {
  struct hexcc_program *program = run->program;
  cl_int error;
  cl_program built = clCreateProgramWithSource(hexcc_context, program->n_lines, program->source, 0, &error);
  if (!hexcc_check(run, error, "reading the kernels")) return 0;
  const int exact = (program->needs & HEXCC_QUOTIENTS) != 0;
  error = clBuildProgram(built, 1, &hexcc_device, exact ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-cl-std=CL1.2", 0, 0);
  if (error != CL_SUCCESS) {
    static char log[8192];
    clGetProgramBuildInfo(built, hexcc_device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, 0);
    fprintf(stderr, "%s\n", log);
    return hexcc_check(run, error, "building the kernels");
  }
  for (int k = 0; k < program->n_kernels; ++k) {
    program->kernels[k].made = clCreateKernel(built, program->kernels[k].name, &error);
    if (!hexcc_check(run, error, program->kernels[k].name)) return 0;
  }
  return program->is_built = 1;
}

// Finds a device and builds the kernels, where that has not been done.
static inline void hexcc_begin(struct hexcc_run *run) {
  cl_int error = CL_SUCCESS;
  if (!hexcc_queue) {
    if (!hexcc_find_device(run)) return;
    if (!hexcc_context) hexcc_context = clCreateContext(0, 1, &hexcc_device, 0, 0, &error);
    if (!hexcc_check(run, error, "making a context")) return;
    hexcc_queue = clCreateCommandQueue(hexcc_context, hexcc_device, 0, &error);
    if (!hexcc_check(run, error, "making a queue")) return;
  }
  if (!run->program->is_built && hexcc_suffices(run)) hexcc_build(run);
}

static inline size_t hexcc_most(size_t x, size_t y) { return x > y ? x : y; }

// Memory of the device.
static inline cl_mem hexcc_buffer(struct hexcc_run *run, size_t bytes, const char *what) {
  cl_int error;
  if (run->failed) return 0;
  cl_mem buffer = clCreateBuffer(hexcc_context, CL_MEM_READ_WRITE, bytes ? bytes : 1, 0, &error);
  if (hexcc_check(run, error, what)) run->buffers[run->n_buffers++] = buffer;
  return buffer;
}

// Copies an array back.
static inline void hexcc_copy_back(struct hexcc_run *run, cl_mem buffer, void *array, size_t bytes, const char *what) {
  if (bytes) hexcc_check(run, clEnqueueReadBuffer(hexcc_queue, buffer, CL_TRUE, 0, bytes, array, 0, 0, 0), what);
}

// What the device has of arrays while the host runs a loop whose other code touches none of their memory.
struct hexcc_resident {
  char *begin;
  size_t bytes;
  cl_mem buffer;
  int written; // by kernels: the host's is old
};

#define HEXCC_MOST_RESIDENTS 64
static struct hexcc_resident hexcc_residents[HEXCC_MOST_RESIDENTS];
static int hexcc_n_residents = 0;
static int hexcc_stays = 0;          // whether such a loop runs
static int hexcc_stay_pays = 0;      // its kernels run
static double hexcc_saved = 0;       // ns that they would have taken less than the host

// Brings the arrays home that stay on the device: they no longer do.
static inline int hexcc_home(void) {
  static struct hexcc_program any = {"hexcc", 0, 0, 0, 0, 0, 0};
  struct hexcc_run run = {&any, 0, 0, 0, 0, 0};
  for (int i = 0; i < hexcc_n_residents; ++i) {
    const struct hexcc_resident *r = &hexcc_residents[i];
    if (r->written) hexcc_copy_back(&run, r->buffer, r->begin, r->bytes, "copying an array back");
    clReleaseMemObject(r->buffer);
  }
  return hexcc_n_residents = 0;
}

// Begins such a loop.
static inline void hexcc_stay(void) {
  hexcc_stays = 1, hexcc_stay_pays = 0;
  hexcc_saved = 0;
}

// Ends it.
static inline void hexcc_leave(void) {
  hexcc_home();
  hexcc_stays = 0;
}

// The array among those that stay; 0 where it is none of them.
static inline struct hexcc_resident *hexcc_is_resident(const void *array) {
  for (int i = 0; i < hexcc_n_residents; ++i)
    if (hexcc_residents[i].begin == (const char *)array) return &hexcc_residents[i];
  return 0;
}

// Brings home what has memory in common with an array, but for the array itself.
static inline void hexcc_apart(const struct hexcc_resident *own, const void *array, size_t bytes) {
  const char *const begin = (const char *)array;
  for (int i = 0; i < hexcc_n_residents; ++i) {
    const struct hexcc_resident *r = &hexcc_residents[i];
    if (r != own && begin < r->begin + r->bytes && r->begin < begin + bytes) {
      hexcc_home();
      return;
    }
  }
}

// Memory of the device with a copy of an array.
static inline cl_mem hexcc_copy(struct hexcc_run *run, const void *array, size_t bytes, const char *what) {
  hexcc_apart(0, array, bytes);
  cl_mem buffer = hexcc_buffer(run, bytes, what);
  if (!run->failed && bytes) hexcc_check(run, clEnqueueWriteBuffer(hexcc_queue, buffer, CL_TRUE, 0, bytes, array, 0, 0, 0), what);
  return buffer;
}

// The same, where the array stays in such a loop.
static inline cl_mem hexcc_enter(struct hexcc_run *run, const void *array, size_t bytes, const char *what) {
  if (run->failed || !hexcc_stays || !bytes) return hexcc_copy(run, array, bytes, what);
  hexcc_apart(hexcc_is_resident(array), array, bytes);
  struct hexcc_resident *r = hexcc_is_resident(array);
  if (!r && hexcc_n_residents == HEXCC_MOST_RESIDENTS) return hexcc_copy(run, array, bytes, what);
  if (r && r->bytes >= bytes) {
    clRetainMemObject(r->buffer);
    return run->buffers[run->n_buffers++] = r->buffer;
  }
  const size_t known = r ? r->bytes : 0;
  cl_mem buffer = hexcc_buffer(run, bytes, what);
  if (run->failed) return buffer;
  if (known) hexcc_check(run, clEnqueueCopyBuffer(hexcc_queue, r->buffer, buffer, 0, 0, known, 0, 0, 0), what);
  hexcc_check(run, clEnqueueWriteBuffer(hexcc_queue, buffer, CL_TRUE, known, bytes - known, (const char *)array + known, 0, 0, 0), what);
  if (run->failed) return buffer;
  clRetainMemObject(buffer);
  if (r) clReleaseMemObject(r->buffer);
  const int written = r && r->written;
  if (!r) r = &hexcc_residents[hexcc_n_residents++];
  *r = (struct hexcc_resident){(char *)array, bytes, buffer, written};
  return buffer;
}

// Notes that kernels have written an array that stays, or copies it back.
static inline void hexcc_leave_array(struct hexcc_run *run, cl_mem buffer, void *array, size_t bytes, const char *what) {
  struct hexcc_resident *r = hexcc_is_resident(array);
  if (r && r->buffer == buffer) r->written = 1;
  else hexcc_copy_back(run, buffer, array, bytes, what);
}

// Frees the device's memory, when all kernels have ended. In a loop where arrays stay, they may go on.
static inline void hexcc_end(struct hexcc_run *run) {
  if (hexcc_queue) hexcc_check(run, hexcc_stays ? clFlush(hexcc_queue) : clFinish(hexcc_queue), "running the kernels");
  while (run->n_buffers) clReleaseMemObject(run->buffers[--run->n_buffers]);
}

// Whether the kernels can run; from then on an error ends the program.
static inline int hexcc_ready(struct hexcc_run *run) {
  if (run->failed) {
    while (run->n_buffers) clReleaseMemObject(run->buffers[--run->n_buffers]);
    return 0;
  }
  run->kept = 0;
  return 1;
}

// Work-groups along an axis but the first, at most; more are launched in parts.
#define HEXCC_MOST_GROUPS 65535

// Work-items of a group along each axis, as far as the kernel can have them on the device.
static inline void hexcc_group(struct hexcc_run *run, cl_kernel kernel, int n_axes, size_t *group) {
  size_t most = 1, product = 1, sizes[16] = {0};
  hexcc_check(run, clGetKernelWorkGroupInfo(kernel, hexcc_device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, 0), "looking at a kernel");
  hexcc_check(run, clGetDeviceInfo(hexcc_device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, 0), "looking at the device");
  for (int a = 0; a < n_axes; ++a) {
    while (group[a] > 1 && group[a] > sizes[a]) group[a] /= 2;
    product *= group[a];
  }
  for (int a = n_axes; a-- > 0;)
    while (product > most && group[a] > 1) {
      product /= group[a];
      group[a] /= 2;
      product *= group[a];
    }
}

// Work-items of a group that has a tile: HEXCC_OPENCL_GROUP, or what suits the device.
static inline size_t hexcc_group_of_tile(struct hexcc_run *run) {
  const char *wanted = getenv("HEXCC_OPENCL_GROUP");
  const long n = wanted ? strtol(wanted, 0, 10) : 0;
  cl_device_type type = 0;
  hexcc_check(run, clGetDeviceInfo(hexcc_device, CL_DEVICE_TYPE, sizeof type, &type, 0), "looking at the device");
  return n > 0 ? (size_t)n : type & CL_DEVICE_TYPE_CPU ? 1 : 128;
}

// Runs a kernel with `counts` work-items along each axis, and as many more as fill the groups; where
// groups of 0 work-items are asked for, with `counts` groups that have a tile each.
static inline void hexcc_launch(struct hexcc_run *run, const char *name, int n_axes, const long long *counts, const size_t *groups, int n_arguments, const struct hexcc_argument *arguments) {
  cl_kernel kernel = 0;
  for (int k = 0; k < run->program->n_kernels; ++k)
    if (!strcmp(run->program->kernels[k].name, name)) kernel = run->program->kernels[k].made;
  for (int i = 0; i < n_arguments; ++i)
    hexcc_check(run, clSetKernelArg(kernel, (cl_uint)i, arguments[i].size, arguments[i].value), name);
  size_t group[3] = {1, 1, 1}, all[3] = {1, 1, 1}, most[3], offset[3], global[3];
  for (int a = 0; a < n_axes; ++a) {
    if (counts[a] < 1) return;
    group[a] = groups[a];
  }
  const int has_tiles = group[0] == 0;
  if (has_tiles) group[0] = hexcc_group_of_tile(run);
  hexcc_group(run, kernel, n_axes, group);
  if (has_tiles) all[0] = (size_t)counts[0] * group[0];
  for (int a = 0; a < 3; ++a) {
    if (a < n_axes && !(a == 0 && has_tiles)) all[a] = ((size_t)counts[a] + group[a] - 1) / group[a] * group[a];
    most[a] = a == 0 ? all[a] : HEXCC_MOST_GROUPS * group[a];
  }
  offset[0] = 0;
  global[0] = all[0];
  for (offset[2] = 0; offset[2] < all[2]; offset[2] += most[2])
    for (offset[1] = 0; offset[1] < all[1]; offset[1] += most[1]) {
      for (int a = 1; a < 3; ++a) global[a] = all[a] - offset[a] < most[a] ? all[a] - offset[a] : most[a];
      hexcc_check(run, clEnqueueNDRangeKernel(hexcc_queue, kernel, (cl_uint)n_axes, offset, global, group, 0, 0, 0), name);
    }
}
