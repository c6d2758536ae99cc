// Counts what travels between host and device; linked with --wrap.
#include <stdio.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static int writes, reads, launches;

cl_int __real_clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, const void *p, cl_uint e, const cl_event *l, cl_event *x) {
  ++writes;
  return __real_clEnqueueWriteBuffer(q, m, b, o, n, p, e, l, x);
}

cl_int __real_clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, void *p, cl_uint e, const cl_event *l, cl_event *x) {
  ++reads;
  return __real_clEnqueueReadBuffer(q, m, b, o, n, p, e, l, x);
}

cl_int __real_clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g, const size_t *l, cl_uint e, const cl_event *w, cl_event *x) {
  ++launches;
  return __real_clEnqueueNDRangeKernel(q, k, d, o, g, l, e, w, x);
}

__attribute__((destructor)) static void tell(void) {
  fprintf(stderr, "%d writes, %d reads, %d launches\n", writes, reads, launches);
}
