use std::{
    error::Error,
    fmt::{self, Display},
    iter::successors,
};

/// Error of a command: a sentence for the person at the terminal, with the causes.
#[derive(Debug)]
pub(crate) struct Failure {
    sentence: String,
    causes: Vec<String>,
}

/// Result of a command.
pub(crate) type Done<T = ()> = Result<T, Failure>;

impl Failure {
    /// Returns a failure without a cause.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), causes: Vec::new() }
    }

    /// Returns a failure with the chain of causes of `error`.
    pub(crate) fn because(sentence: impl Into<String>, error: &(dyn Error + 'static)) -> Self {
        let causes = successors(Some(error), |&it| it.source()).map(ToString::to_string).collect();
        Self { sentence: sentence.into(), causes }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)?;
        let mut last = self.sentence.as_str();
        for cause in &self.causes {
            // Errors of other crates often contain the text of their cause.
            if !last.ends_with(cause.as_str()) {
                write!(f, ": {cause}")?;
                last = cause;
            }
        }
        Ok(())
    }
}

/// Adds a sentence to an error.
pub(crate) trait Context<T> {
    /// Returns a failure that begins with `sentence`.
    fn or_fail(self, sentence: impl Into<String>) -> Done<T>;
}

impl<T, E: Error + 'static> Context<T> for Result<T, E> {
    fn or_fail(self, sentence: impl Into<String>) -> Done<T> {
        self.map_err(|error| Failure::because(sentence, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_cause_is_not_repeated() {
        let causes = ["no connection: bad address", "bad address", "line 3"].map(str::to_owned).to_vec();

        let failure = Failure { sentence: "the database cannot be reached".to_owned(), causes };

        let whole = "the database cannot be reached: no connection: bad address: line 3";
        assert_eq!(failure.to_string(), whole);
    }
}
