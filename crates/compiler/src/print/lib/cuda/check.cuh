[[maybe_unused]] static bool kept = false; // a nest is about to run, and its arrays are as they were

// Ends the program with a message where CUDA reports an error.
[[maybe_unused]] static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "hexcc: %s: %s%s\n", what, cudaGetErrorString(error), kept ? "; made with hexcc --fallback, the program would run its own loops" : "");
  for (const Block *b = borrowed; b; b = b->next) cudaFreeAsync(b->begin, 0);
  exit(EXIT_FAILURE);
}

