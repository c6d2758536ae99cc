// Thrown where the program's own loops are to run: nothing has changed yet.
struct Unfit {};
static bool kept = false; // the program has such loops, and its arrays are as they were
static int *said = nullptr; // whether it has been told why they run

// Ends the program with a message where CUDA reports an error that its own loops cannot mend.
[[maybe_unused]] static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  if (!kept || !(*said)++) fprintf(stderr, "hexcc: %s: %s%s\n", what, cudaGetErrorString(error), kept ? "; the program's own loops run" : "");
  while (Block *b = borrowed) {
    cudaFreeAsync(b->begin, 0);
    borrowed = b->next;
    delete b;
  }
  if (!kept) exit(EXIT_FAILURE);
  cudaGetLastError(); // forgets it
  throw Unfit();
}

