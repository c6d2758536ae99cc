// The loop goes several steps at once, and again where the last of them was none. What they start from is kept.
enum Steps { ONE, KEPT, AGAIN };
static Steps hexcc_steps = ONE;
static bool hexcc_has_room = false; // for what they start from

// How many steps to go at once, after so many: those that turn out to be too many are few beside them.
static long hexcc_ahead(long n_all) {
  constexpr long LEAST = 16;
  hexcc_steps = hexcc_many() ? KEPT : ONE;
  if (hexcc_steps == ONE || !hexcc_has_room) return 1;
  const long n = n_all / 8 / LEAST * LEAST;
  return n < LEAST ? LEAST : n > MOST_STEPS ? MOST_STEPS : n;
}

static void hexcc_again() {
  hexcc_steps = AGAIN;
}

static bool hexcc_goes() {
  return hexcc_steps != ONE;
}

