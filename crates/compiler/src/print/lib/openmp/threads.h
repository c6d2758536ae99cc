
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

// A team of threads around a loop of the program: one runs the loop, and all of them do the work that it gives out.
static struct hexcc_team {
  struct hexcc_meeting meeting;
  void (*work)(void *); // 0 at the end of the loop
  void *job;
  int is_there;
} hexcc_team;

// Lets all threads of the team do some work, or those of a team for it alone.
static inline void hexcc_share(void (*work)(void *), void *job) {
  if (hexcc_team.is_there) {
    hexcc_team.work = work, hexcc_team.job = job;
    hexcc_meet(&hexcc_team.meeting);
    work(job);
    hexcc_meet(&hexcc_team.meeting);
    return;
  }
  #pragma omp parallel
  work(job);
}

// Whether a thread is the one that runs the loop.
static inline int hexcc_leads(void) {
#ifdef _OPENMP
  extern int omp_get_thread_num(void);
  if (omp_get_thread_num() != 0) return 0;
  hexcc_team.is_there = omp_get_num_threads() > 1;
#endif
  return 1;
}

// Ends the work of the others.
static inline void hexcc_dismiss(void) {
  if (!hexcc_team.is_there) return;
  hexcc_team.work = 0, hexcc_team.is_there = 0;
  hexcc_meet(&hexcc_team.meeting);
}

// Does what the loop gives out until it ends.
static inline void hexcc_serve(void) {
  for (hexcc_meet(&hexcc_team.meeting); hexcc_team.work; hexcc_meet(&hexcc_team.meeting)) {
    hexcc_team.work(hexcc_team.job);
    hexcc_meet(&hexcc_team.meeting);
  }
}
