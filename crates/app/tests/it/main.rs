//! The use cases, port by mocked port.
