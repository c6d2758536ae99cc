
// Rows that a part of the program reaches through pointers: of each, what it touches and no more.
// Offsets are bytes.
struct hexcc_row {
  size_t number; // of all rows of the array, one after the other
  char *begin;
  size_t first, end;               // what is touched
  size_t first_written, end_written; // what is written of it
};

// Memory that a part of the program touches.
struct hexcc_piece {
  const char *begin, *end;
  int written;
  const char *what;
};

struct hexcc_pieces {
  struct hexcc_piece *all;
  size_t n, room;
};

#define HEXCC_MOST_POINTERS 3

struct hexcc_rows {
  struct hexcc_row *all;
  size_t n, room;
  struct hexcc_pieces tables[HEXCC_MOST_POINTERS];  // where the pointers to rows are, by subscript
  struct hexcc_piece followed[HEXCC_MOST_POINTERS]; // the last of them
};

// Memory of a size, with what `old` holds.
static inline void *hexcc_resize(void *old, size_t bytes) {
  void *memory = realloc(old, bytes);
  if (memory) return memory;
  fprintf(stderr, "hexcc: no memory for pointers to rows\n");
  exit(EXIT_FAILURE);
}

static inline void hexcc_touch(struct hexcc_pieces *pieces, const void *begin, const void *end, int written, const char *what) {
  if ((const char *)begin >= (const char *)end) return;
  if (pieces->n == pieces->room) {
    pieces->room = pieces->n ? 2 * pieces->n : 64;
    pieces->all = (struct hexcc_piece *)hexcc_resize(pieces->all, pieces->room * sizeof *pieces->all);
  }
  struct hexcc_piece *piece = &pieces->all[pieces->n++];
  piece->begin = (const char *)begin;
  piece->end = (const char *)end;
  piece->written = written;
  piece->what = what;
}

// The pointer with a number in a table, which subscript `level` selects.
static inline void *hexcc_follow(struct hexcc_rows *rows, int level, const void *table, long long number) {
  void *const *entry = (void *const *)table + number;
  struct hexcc_piece *last = &rows->followed[level];
  if (last->begin && last->begin <= (const char *)entry && (const char *)entry <= last->end) {
    if (last->end < (const char *)(entry + 1)) last->end = (const char *)(entry + 1);
  } else {
    hexcc_touch(&rows->tables[level], last->begin, last->end, 0, last->what);
    last->begin = (const char *)entry;
    last->end = (const char *)(entry + 1);
  }
  return *entry;
}

static inline void hexcc_add_row(struct hexcc_rows *rows, long long number, void *begin, size_t first, size_t end, size_t first_written, size_t end_written) {
  if (rows->n == rows->room) {
    rows->room = rows->n ? 2 * rows->n : 64;
    rows->all = (struct hexcc_row *)hexcc_resize(rows->all, rows->room * sizeof *rows->all);
  }
  struct hexcc_row *row = &rows->all[rows->n++];
  row->number = (size_t)number;
  row->begin = (char *)begin;
  row->first = first;
  row->end = end;
  row->first_written = first_written;
  row->end_written = end_written;
}

// What all rows and the pointers to them touch; `table` is what the pointers are called.
static inline void hexcc_touch_rows(struct hexcc_pieces *pieces, const struct hexcc_rows *rows, const char *what, const char *table) {
  for (int level = 0; level < HEXCC_MOST_POINTERS; ++level) {
    const struct hexcc_pieces *tables = &rows->tables[level];
    for (size_t i = 0; i < tables->n; ++i)
      hexcc_touch(pieces, tables->all[i].begin, tables->all[i].end, 0, table);
    hexcc_touch(pieces, rows->followed[level].begin, rows->followed[level].end, 0, table);
  }
  for (size_t i = 0; i < rows->n; ++i) {
    const struct hexcc_row *row = &rows->all[i];
    hexcc_touch(pieces, row->begin + row->first, row->begin + row->end, row->first_written < row->end_written, what);
  }
}

static inline void hexcc_free_rows(struct hexcc_rows *rows) {
  free(rows->all);
  for (int level = 0; level < HEXCC_MOST_POINTERS; ++level) free(rows->tables[level].all);
}

// Where ascending pieces end that begin with one.
static inline size_t hexcc_ascending(const struct hexcc_piece *pieces, size_t from, size_t n) {
  size_t end = from < n ? from + 1 : n;
  while (end < n && pieces[end - 1].begin <= pieces[end].begin) ++end;
  return end;
}

// Sorts pieces by where they begin: merges what is in order until all is.
static inline void hexcc_sort(struct hexcc_pieces *pieces) {
  const size_t n = pieces->n;
  if (hexcc_ascending(pieces->all, 0, n) == n) return;
  struct hexcc_piece *from = pieces->all, *to = (struct hexcc_piece *)hexcc_resize(0, n * sizeof *to);
  for (size_t first = 0; first < n;) {
    size_t out = 0;
    while (out < n) {
      size_t left = out, right = hexcc_ascending(from, left, n);
      const size_t middle = right, end = hexcc_ascending(from, middle, n);
      while (left < middle || right < end) {
        const int is_left = right == end || (left < middle && from[left].begin <= from[right].begin);
        to[out++] = from[is_left ? left++ : right++];
      }
    }
    struct hexcc_piece *sorted = to;
    to = from;
    from = sorted;
    first = hexcc_ascending(from, 0, n);
  }
  free(to);
  pieces->all = from;
}

// Whether no two pieces of memory share bytes, one of which is written. Where two do, it ends the
// program, unless that runs its own loops then: `said` counts how often it has had to. Frees them.
static inline int hexcc_separate_all(struct hexcc_pieces *pieces, const char *where, int *said) {
  int separate = 1;
  hexcc_sort(pieces);
  const struct hexcc_piece *last = 0, *last_written = 0; // those that reach farthest
  for (size_t i = 0; i < pieces->n; ++i) {
    const struct hexcc_piece *piece = &pieces->all[i], *other = piece->written ? last : last_written;
    if (other && piece->begin < other->end) {
      const char *end = said ? "; the program's own loops run" : "; made with hexcc --fallback, the program would run its own loops";
      if (said && (*said)++)
        ;
      else if (strcmp(piece->what, other->what) == 0)
        fprintf(stderr, "%s: rows of %s share memory%s\n", where, piece->what, end);
      else
        fprintf(stderr, "%s: %s and %s share memory%s\n", where, other->what, piece->what, end);
      if (!said) exit(EXIT_FAILURE);
      separate = 0;
      break;
    }
    if (!last || piece->end > last->end) last = piece;
    if (piece->written && (!last_written || piece->end > last_written->end)) last_written = piece;
  }
  free(pieces->all);
  return separate;
}
