"""The command `hexcc` that comes with the package."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hexcc import _command

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
  int n = 64;
  float (*a)[n][n] = calloc(2, sizeof *a);
  a[0][3][3] = 1;
  for (int t = 0; t < 10; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[(t + 1) % 2][i][j] = 0.25f * (a[t % 2][i - 1][j] + a[t % 2][i + 1][j]
                                        + a[t % 2][i][j - 1] + a[t % 2][i][j + 1]);
  printf("%g\\n", a[0][4][4]);
  return 0;
}
"""


@pytest.mark.skipif(bool(os.environ.get("HEXCC")), reason="the command is one that no wheel has installed")
@pytest.mark.parametrize("options", [[], ["--emulate"], ["--target", "openmp"]])
def test_programs_are_run_and_compared(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    # Without Python, the command finds the libraries by itself.
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(
        [str(_command.command()), "run", *options, "program.c"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "equals the C program bit for bit" in done.stdout + done.stderr
