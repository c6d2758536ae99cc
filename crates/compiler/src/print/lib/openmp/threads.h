
// Where threads of a team wait until all have come. One that waits for longer than some 50 us sleeps in between: others may
// need its core, such as the one that all wait for.
struct hexcc_meeting { unsigned arrived, round; };

#ifdef _OPENMP
extern int omp_get_num_threads(void), usleep(unsigned);
static inline void hexcc_meet(struct hexcc_meeting *meeting) {
  const unsigned threads = (unsigned)omp_get_num_threads();
  unsigned arrived, before, round;
  if (threads == 1) return;
  #pragma omp atomic read seq_cst
  before = meeting->round;
  #pragma omp atomic capture seq_cst
  arrived = ++meeting->arrived;
  if (arrived == threads) {
    #pragma omp atomic write seq_cst
    meeting->arrived = 0;
    #pragma omp atomic write seq_cst
    meeting->round = before + 1;
    return;
  }
  for (int looked = 0;; ++looked) {
    #pragma omp atomic read seq_cst
    round = meeting->round;
    if (round != before) return;
    if (looked >= 100000) usleep(1);
  }
}
#else
static inline void hexcc_meet(struct hexcc_meeting *meeting) { (void)meeting; }
#endif
