"""The ten programs of Overtile (Holewinski, Pouchet and Sadayappan, ICS 2012, section 5) as functions of Python.

    python overtile.py

The folder testsuite/st of the repository has the same ones as text.
"""

from __future__ import annotations

import time

import hexcc
import numpy as np
from hexcc import F32, X, Y
from numpy import sqrt


@hexcc.stencil
def jacobi1d(a: F32[X]):
    return 0.33 * (a[-1] + a[0] + a[1])


@hexcc.stencil
def jacobi1d_5pt(a: F32[X]):
    return 0.125 * (a[-2] + a[2]) + 0.25 * (a[-1] + a[0] + a[1])


@hexcc.stencil
def jacobi1d_7pt(a: F32[X]):
    return 0.05 * (a[-3] + a[3]) + 0.1 * (a[-2] + a[2]) + 0.2 * (a[-1] + a[1]) + 0.3 * a[0]


@hexcc.stencil
def jacobi2d(a: F32[X, X]):
    return 0.2 * (a[0, 0] + a[1, 0] + a[-1, 0] + a[0, 1] + a[0, -1])


@hexcc.stencil
def jacobi3d(a: F32[X, X, X]):
    return 0.4 * a + 0.1 * (a[-1, 0, 0] + a[1, 0, 0] + a[0, -1, 0] + a[0, 1, 0] + a[0, 0, -1] + a[0, 0, 1])


@hexcc.stencil
def poisson2d(phi: F32[Y, X]):
    return (
        0.2 * (phi[-1, 0] + phi[1, 0] + phi[0, -1] + phi[0, 1])
        + 0.05 * (phi[-1, -1] + phi[-1, 1] + phi[1, -1] + phi[1, 1])
        - 0.01 * phi
    )


@hexcc.stencil
def fdtd2d(ex: F32[X, Y + 1], ey: F32[X + 1, Y], hz: F32[X, Y]):
    ey = ey - 0.5 * (hz - hz[-1, 0])
    ex = ex - 0.5 * (hz - hz[0, -1])
    hz = hz - 0.7 * (ex[0, 1] - ex + ey[1, 0] - ey)
    return ex, ey, hz


@hexcc.stencil
def rician2d(noisy: F32[Y, X], weight: F32[Y, X], image: F32[Y, X], trust, sigma, rate):
    right, left = image - image[0, 1], image - image[0, -1]
    down, up = image - image[1, 0], image - image[-1, 0]
    # One over the length of the gradient.
    weight = 1 / sqrt(1.0e-10 + right * right + left * left + down * down + up * up)
    # A step of gradient descent; the quotient of Bessel functions is a rational approximation.
    r = image * noisy / sigma
    ratio = r * (2.38944 + r * (0.950037 + r)) / (4.65314 + r * (2.57541 + r * (1.48937 + r)))
    around = (
        image[0, 1] * weight[0, 1]
        + image[0, -1] * weight[0, -1]
        + image[1, 0] * weight[1, 0]
        + image[-1, 0] * weight[-1, 0]
    )
    image = (image + rate * (around + trust * noisy * ratio)) / (
        1 + rate * (weight[0, 1] + weight[0, -1] + weight[1, 0] + weight[-1, 0] + trust)
    )
    return noisy, weight, image


@hexcc.stencil
def gradient2d(a: F32[X, X]):
    return a + 1.0 / sqrt(2.0 + (a - a[-1, 0]) ** 2 + (a - a[1, 0]) ** 2 + (a - a[0, -1]) ** 2 + (a - a[0, 1]) ** 2)


@hexcc.stencil
def tv2d(noisy: F32[Y, X], image: F32[Y, X], rate, trust, noise):
    right, down = image[0, 1] - image, image[1, 0] - image
    left, up = image - image[0, -1], image - image[-1, 0]
    left_down = image[1, -1] - image[0, -1]
    up_right = image[-1, 1] - image[-1, 0]
    here = 1 / sqrt(noise + right * right + down * down)
    at_left = 1 / sqrt(noise + left * left + left_down * left_down)
    at_up = 1 / sqrt(noise + up_right * up_right + up * up)
    image = image + rate * (right * here + down * here - left * at_left - up * at_up - trust * (image - noisy))
    return noisy, image


ALL = [jacobi1d, jacobi1d_5pt, jacobi1d_7pt, jacobi2d, jacobi3d, poisson2d, fdtd2d, rician2d, gradient2d, tv2d]


def main() -> None:
    """Run each for ten steps on the CPU, and say how long that takes once it is built."""
    random = np.random.default_rng(1)
    for stencil in ALL:
        dims = [[60] * len(of.dims) for of in stencil.fields]
        shapes = [[n + more for n, more in zip(all_of, of.more)] for all_of, of in zip(dims, stencil.fields)]
        fields = {of.name: random.random(shape, np.float32) for of, shape in zip(stencil.fields, shapes)}
        numbers = dict.fromkeys(stencil.scalars, 0.05)
        stencil(**fields, **numbers, steps=10)
        began = time.perf_counter()
        stencil(**fields, **numbers, steps=10)
        print(f"{stencil.__name__:12} {1e3 * (time.perf_counter() - began):8.2f} ms")


if __name__ == "__main__":
    main()
