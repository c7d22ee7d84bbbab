use domain::Symbols;

/// Chance. Nothing else may ask the system for it.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Ids: Send + Sync {
    /// 26 fresh symbols (130 random bits): enough for the name of a resource.
    fn generate(&self) -> Symbols;

    /// 52 fresh symbols (260 random bits): enough for a secret that opens something.
    fn secret(&self) -> Symbols;
}
