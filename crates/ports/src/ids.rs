use domain::Symbols;

/// Source of randomness. Other code must not read the system's.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Ids: Send + Sync {
    /// 26 fresh symbols (130 random bits): enough for the name of a resource.
    fn generate(&self) -> Symbols;

    /// Returns 52 random symbols (260 bits), for a secret.
    fn secret(&self) -> Symbols;
}
