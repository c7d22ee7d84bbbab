use std::{
    error::Error,
    fmt::{self, Display},
    iter::successors,
};

/// Why a command ended without success: a sentence for whoever typed it, and what was behind it.
#[derive(Debug)]
pub(crate) struct Failure {
    sentence: String,
    causes: Vec<String>,
}

/// What a command comes to.
pub(crate) type Done<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failure that one sentence explains.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), causes: Vec::new() }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)?;
        self.causes.iter().try_for_each(|cause| write!(f, ": {cause}"))
    }
}

/// Says what was being done when something failed.
pub(crate) trait Context<T> {
    /// The same, but a failure begins with `sentence`.
    fn or_fail(self, sentence: impl Into<String>) -> Done<T>;
}

impl<T, E: Error + 'static> Context<T> for Result<T, E> {
    fn or_fail(self, sentence: impl Into<String>) -> Done<T> {
        self.map_err(|error| {
            let causes = successors(Some(&error as Cause<'_>), |&it| it.source()).map(ToString::to_string).collect();
            Failure { sentence: sentence.into(), causes }
        })
    }
}

type Cause<'a> = &'a (dyn Error + 'static);
