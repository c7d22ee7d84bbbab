use crate::texts::Texts;

/// What a page says once, about what was just sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    NotSent,
    TooOften,
    OldForm,
}

impl Note {
    const ALL: [Self; 3] = [Self::NotSent, Self::TooOften, Self::OldForm];

    /// How an address says it.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::NotSent => "not-sent",
            Self::TooOften => "too-often",
            Self::OldForm => "old-form",
        }
    }

    pub(crate) fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.code() == text)
    }

    pub(crate) const fn text(self, texts: &Texts) -> &'static str {
        match self {
            Self::NotSent => texts.note_not_sent,
            Self::TooOften => texts.note_too_often,
            Self::OldForm => texts.note_old_form,
        }
    }
}
