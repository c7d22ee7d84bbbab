/// Public address of the checkout: a host, or a folder of a host behind a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicBaseUrl {
    base: String,
    /// Start of the path in `base`.
    path_at: usize,
}

impl PublicBaseUrl {
    /// Base URL without a trailing slash, such as `https://example.do/pay`.
    pub fn new(base: impl Into<String>) -> Self {
        let base = base.into();
        let host_at = base.find("://").map_or(0, |it| it + 3);
        let path_at = base.get(host_at..).and_then(|it| it.find('/')).map_or(base.len(), |it| host_at + it);
        Self { base, path_at }
    }

    /// Returns the path of a page on the public host.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("{}{path}", self.base.get(self.path_at..).unwrap_or_default())
    }

    /// Returns the absolute URL of a page.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Returns scheme and host, as in the `Origin` header.
    pub(crate) fn origin(&self) -> &str {
        self.base.get(..self.path_at).unwrap_or_default()
    }

    /// Whether browsers use TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.base.starts_with("https://")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_a_host_is_part_of_every_path() {
        let base_url = PublicBaseUrl::new("https://example.do/tienda/pagos");

        assert_eq!(base_url.path("/p/x"), "/tienda/pagos/p/x");
        assert_eq!(base_url.url("/c/x"), "https://example.do/tienda/pagos/c/x");
        assert_eq!((base_url.origin(), base_url.is_secure()), ("https://example.do", true));
    }

    #[test]
    fn a_dedicated_host_has_no_folder() {
        let base_url = PublicBaseUrl::new("http://127.0.0.1:8080");

        assert_eq!(base_url.path("/p/x"), "/p/x");
        assert_eq!((base_url.origin(), base_url.is_secure()), ("http://127.0.0.1:8080", false));
    }
}
