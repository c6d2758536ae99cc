from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_cache() -> Iterator[None]:
    """Tests build everything anew, and leave the user's cache alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEXCC_CACHE_DIR"] = folder
        yield
