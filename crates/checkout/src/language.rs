/// Language of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Spanish,
    English,
}

impl Language {
    /// Parses a language tag, such as `es-DO`.
    pub(crate) fn from_tag(tag: &str) -> Option<Self> {
        match tag.trim().split('-').next()?.to_ascii_lowercase().as_str() {
            "es" => Some(Self::Spanish),
            "en" => Some(Self::English),
            _ => None,
        }
    }

    /// Returns the first supported language of an `Accept-Language` header, such as `en-US,en;q=0.9`.
    pub(crate) fn preferred(accepted: &str) -> Option<Self> {
        accepted.split(',').find_map(|it| Self::from_tag(it.split(';').next().unwrap_or_default()))
    }

    /// Returns the text in this language.
    pub(crate) const fn choose<T: Copy>(self, spanish: T, english: T) -> T {
        match self {
            Self::Spanish => spanish,
            Self::English => english,
        }
    }

    pub(crate) const fn other(self) -> Self {
        self.choose(Self::English, Self::Spanish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_supported_language_is_preferred() {
        assert_eq!(Language::preferred("fr-FR,en-US;q=0.9,es;q=0.8"), Some(Language::English));
        assert_eq!(Language::preferred("es-DO"), Some(Language::Spanish));
        assert_eq!(Language::preferred("*"), None);
        assert_eq!(Language::preferred(""), None);
    }
}
