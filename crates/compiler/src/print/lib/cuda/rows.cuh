
// Rows that the program reaches through pointers, as kernels use them.
namespace hexcc_memory {

// How far what is touched of the next row lies behind that of a row in copies.
[[maybe_unused]] static size_t pitch(const hexcc_row &row) { return (row.end - row.first + 15) / 16 * 16; }

// Where kernels find the rows of an array, which has n.
struct Rows {
  void **table; // pointers to the rows
  size_t room;  // for so many of them, kept for the next table; none where there are copies
  char *copies; // device memory with all that is touched of them; none where they are shared
  size_t bytes; // of the copies

  void enter(const hexcc_rows &rows, size_t n, const char *what) {
    bool shared = true;
    for (size_t i = 0; i < rows.n && shared; ++i)
      shared = is_shared(rows.all[i].begin + rows.all[i].first, rows.all[i].end - rows.all[i].first);
    if (rows.n && shared) enter_shared(rows, n, what);
    if (rows.n && !shared) enter_copies(rows, n, what);
  }

  void enter_shared(const hexcc_rows &rows, size_t n, const char *what) {
    if (n > room) {
      leave_shared(what);
      check(cudaMallocManaged((void **)&table, n * sizeof *table), what);
      room = n;
    }
    fill_table(hexcc_table(&rows, n), n, what);
  }

  void leave_shared(const char *what) {
    if (room) check(cudaFree(table), what);
    room = 0;
  }

  void enter_copies(const hexcc_rows &rows, size_t n, const char *what) {
    leave_shared(what);
    bytes = 0;
    for (size_t i = 0; i < rows.n; ++i) bytes += pitch(rows.all[i]);
    copies = (char *)borrow(bytes, what);
    table = (void **)borrow(n * sizeof *table, what);
    void **const pointers = hexcc_table(&rows, n);
    char *const host = (char *)hexcc_resize(nullptr, bytes);
    size_t at = 0;
    for (size_t i = 0; i < rows.n; at += pitch(rows.all[i++])) {
      const hexcc_row &row = rows.all[i];
      memcpy(host + at, row.begin + row.first, row.end - row.first);
      pointers[row.number] = copies + at - row.first;
    }
    check(cudaMemcpy(copies, host, bytes, cudaMemcpyHostToDevice), what);
    free(host);
    fill_table(pointers, n, what);
  }

  void leave_copies(const hexcc_rows &rows, bool written, const char *what) {
    if (written) {
      char *const host = (char *)hexcc_resize(nullptr, bytes);
      check(cudaMemcpy(host, copies, bytes, cudaMemcpyDeviceToHost), what);
      size_t at = 0;
      for (size_t i = 0; i < rows.n; at += pitch(rows.all[i++])) {
        const hexcc_row &row = rows.all[i];
        if (row.first_written < row.end_written)
          memcpy(row.begin + row.first_written, host + at + (row.first_written - row.first), row.end_written - row.first_written);
      }
      free(host);
    }
    give_back(copies, what);
    give_back(table, what);
    copies = nullptr;
  }

  void fill_table(void **pointers, size_t n, const char *what) {
    check(cudaMemcpy(table, pointers, n * sizeof *table, cudaMemcpyHostToDevice), what);
    free(pointers);
  }
};

// The pointers that were followed, as they are, by subscript.
[[maybe_unused]] static void **followed(hexcc_rows &rows) {
  size_t n = 0;
  for (int level = 0; level < HEXCC_MOST_POINTERS; ++level) {
    hexcc_piece &last = rows.followed[level];
    hexcc_touch(&rows.tables[level], last.begin, last.end, 0, last.what);
    last = {};
    const hexcc_pieces &tables = rows.tables[level];
    for (size_t i = 0; i < tables.n; ++i) n += (size_t)(tables.all[i].end - tables.all[i].begin);
  }
  void **const pointers = (void **)hexcc_resize(nullptr, n ? n : 1);
  char *to = (char *)pointers;
  for (const hexcc_pieces &tables : rows.tables)
    for (size_t i = 0; i < tables.n; ++i) {
      const size_t bytes = (size_t)(tables.all[i].end - tables.all[i].begin);
      memcpy(to, tables.all[i].begin, bytes);
      to += bytes;
    }
  return pointers;
}

// What a call finds out about the rows of N arrays: where they are, and that they share no memory. That depends
// on K arguments, on the pointers that lead to rows, and on what is shared memory.
template <int N, int K> struct RowsOfCall {
  bool known;      // the next calls with the same need not find it out
  bool has_copies; // there are rows that are no shared memory: each call copies them
  size_t arguments[K];
  hexcc_rows found[N];
  void **pointers[N]; // all that were followed, as they were
  Rows entered[N];
  unsigned long long n_releases; // before the call

  // Whether a call would find out the same. Nothing depends on what rows hold: kernels use them where they are.
  // Only what C reads is read: a table that pointers lead to, when these are seen to be what they were.
  // Memory that was shared is so until it is released.
  bool is_for(const size_t (&asked)[K]) const {
    bool same = known && n_releases == releases && memcmp(arguments, asked, sizeof asked) == 0;
    for (int array = 0; array < N && same; ++array) {
      const char *was = (const char *)pointers[array];
      for (const hexcc_pieces &tables : found[array].tables)
        for (size_t i = 0; i < tables.n && same; ++i) {
          const size_t bytes = (size_t)(tables.all[i].end - tables.all[i].begin);
          same = memcmp(tables.all[i].begin, was, bytes) == 0;
          was += bytes;
        }
    }
    return same;
  }

  // Lets kernels use the rows of an array, which has n.
  void enter(int array, size_t n, const char *what) {
    entered[array].enter(found[array], n, what);
    if (entered[array].copies) has_copies = true;
  }

  // Ends what enter began.
  void leave(int array, bool written, const char *what) {
    if (entered[array].copies) entered[array].leave_copies(found[array], written, what);
  }

  // Keeps what was found out for later calls.
  void keep() {
    if (known) return;
    if (has_copies) return forget();
    for (int array = 0; array < N; ++array) {
      pointers[array] = followed(found[array]);
      free(found[array].all); // only the tables are asked again
      found[array].all = nullptr;
    }
    known = true;
  }

  // Also where an error has ended the call: then the memory of copies is free already.
  void forget() {
    for (int array = 0; array < N; ++array) {
      hexcc_free_rows(&found[array]);
      free(pointers[array]);
      found[array] = {};
      pointers[array] = nullptr;
      entered[array].copies = nullptr;
    }
    known = has_copies = false;
  }
};

// The last calls, such as those of a loop in which pointers are swapped.
template <int N, int K> struct KnownRows {
  RowsOfCall<N, K> calls[8];
  unsigned next;

  // What is known for some arguments; otherwise what can be found out for them.
  RowsOfCall<N, K> &of(const size_t (&arguments)[K]) {
    for (RowsOfCall<N, K> &call : calls)
      if (call.is_for(arguments)) return call;
    RowsOfCall<N, K> &call = calls[next++ % 8];
    call.forget();
    memcpy(call.arguments, arguments, sizeof arguments);
    call.n_releases = releases;
    return call;
  }
};

} // namespace hexcc_memory
