use std::borrow::Cow;

use serde::{Serialize, Serializer};

/// An object of texts.
#[derive(Default)]
pub(crate) struct Texts<'a>(Vec<(&'static str, Cow<'a, str>)>);

impl<'a> Texts<'a> {
    /// Adds a field.
    pub(crate) fn and(mut self, name: &'static str, text: impl Into<Cow<'a, str>>) -> Self {
        self.0.push((name, text.into()));
        self
    }

    /// Adds a field, if there is a value.
    pub(crate) fn and_if(self, name: &'static str, text: Option<impl Into<Cow<'a, str>>>) -> Self {
        match text {
            Some(text) => self.and(name, text),
            None => self,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, text)| (*name, text.as_ref()))
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Texts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}
