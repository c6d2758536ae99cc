
namespace hexcc_gate {

constexpr double FETCHED = 4; // bytes in a nanosecond where pages are fetched one by one

// Shared memory that the host goes through before the kernels run again travels there and back, as that of so many
// bytes which are copied.
static double fetched(double bytes) {
  return bytes * BYTES / FETCHED;
}

// The same as pays where memory travels: kernels may not pay though it is the GPU's, too, and not for one of them alone.
static bool pays_though_shared(const Work &work) {
  const bool are[] = {shares, started};
  shares = started = false;
  const bool result = pays(work);
  shares = are[0];
  started |= are[1];
  return result;
}

} // namespace hexcc_gate
