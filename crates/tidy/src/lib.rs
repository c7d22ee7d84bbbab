//! Rules about the workspace itself, as tests: `tests/it` reads manifests and sources, and this library is empty.
