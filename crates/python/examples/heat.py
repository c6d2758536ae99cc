"""Heat on a plate, with hexcc and with NumPy: the same numbers, bit for bit.

usage: python heat.py [N] [STEPS]
"""

import sys
import time

import hexcc
import numpy as np

SOURCE = """
void heat(int n, int steps, double u[n][n], double v[n][n])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = v[i][j];
  }
}
"""


def plain(u: np.ndarray, steps: int) -> np.ndarray:
    """Compute the same with NumPy, in the order in which C adds."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def main() -> None:
    """Run both, compare, and print what they took."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    heat = hexcc.compile(SOURCE)
    u = np.zeros((n, n))
    u[0] = 100.0
    expected = u.copy()

    began = time.perf_counter()
    heat(n, steps, u, v=u.copy())
    of_hexcc = time.perf_counter() - began

    began = time.perf_counter()
    expected = plain(expected, steps)
    of_numpy = time.perf_counter() - began

    if not np.array_equal(u, expected):
        sys.exit("the results differ")
    print(f"{n} x {n}, {steps} steps: hexcc {of_hexcc:.3f} s, NumPy {of_numpy:.3f} s, equal bit for bit")


if __name__ == "__main__":
    main()
