//! Words of comments. A comment that leans on `it`, `what` or `who` instead of a noun is read twice.

use std::{collections::BTreeMap, ops::AddAssign};

use crate::workspace::{members, rust_files};

/// Group of words with a limit.
struct Limit {
    words: &'static [&'static str],
    /// Maximum in 10,000 words of comments.
    maximum: usize,
}

const LIMITS: &[Limit] = &[
    Limit { words: &["it", "its"], maximum: 120 },
    Limit { words: &["what"], maximum: 20 },
    Limit { words: &["anybody", "nobody", "nothing", "somebody", "something", "whatever"], maximum: 5 },
    Limit { words: &["heard", "said", "says", "tells", "told"], maximum: 5 },
    Limit { words: &["who", "whoever", "whom", "whose"], maximum: 10 },
];

/// Terms of the field; their rate is printed and has no limit.
const FIELD: &[&str] = &[
    "lock",
    "locked",
    "locks",
    "request",
    "requests",
    "response",
    "responses",
    "retried",
    "retries",
    "retry",
    "state",
    "states",
    "status",
    "statuses",
    "timeout",
    "timeouts",
    "transaction",
    "transactions",
];
const RETURNS: &[&str] = &["return", "returns"];

/// Crates with fewer words of comments are measured together.
const SMALL: usize = 2_000;

#[test]
fn comments_name_their_subject() {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for member in members() {
        let mut count = Count::default();
        rust_files(&member).iter().for_each(|(_, text)| count += Count::of(text));
        let name = if count.words < SMALL { "smaller crates".to_owned() } else { member };
        *counts.entry(name).or_default() += count;
    }

    let mut faults = Vec::new();
    for (name, count) in &counts {
        println!("{name}: {} words; in 10,000 words: {:?}", count.words, count.rates());
        for (limit, rate) in LIMITS.iter().zip(count.rates()) {
            if rate > limit.maximum {
                faults.push(format!("{name}: {rate} of {:?}; the maximum is {}", limit.words, limit.maximum));
            }
        }
    }
    assert!(faults.is_empty(), "in 10,000 words of comments:\n{}", faults.join("\n"));
}

#[derive(Debug, Default)]
struct Count {
    words: usize,
    limited: [usize; LIMITS.len()],
    field: usize,
    returns: usize,
}

impl Count {
    fn of(text: &str) -> Self {
        let mut count = Self::default();
        for comment in text.lines().filter_map(comment_of) {
            for word in words_of(comment) {
                count.words += 1;
                for (limit, number) in LIMITS.iter().zip(&mut count.limited) {
                    *number += usize::from(limit.words.contains(&word.as_str()));
                }
                count.field += usize::from(FIELD.contains(&word.as_str()));
                count.returns += usize::from(RETURNS.contains(&word.as_str()));
            }
        }
        count
    }

    /// Returns the rates in 10,000 words: of the limited groups, of terms of the field, of `return`.
    fn rates(&self) -> [usize; LIMITS.len() + 2] {
        let [it, what, nobody, said, who] = self.limited;
        [it, what, nobody, said, who, self.field, self.returns].map(|number| 10_000 * number / self.words.max(1))
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.words += other.words;
        self.limited.iter_mut().zip(other.limited).for_each(|(own, others)| *own += others);
        self.field += other.field;
        self.returns += other.returns;
    }
}

/// Returns the comment of a line: all of it, or the end after code.
fn comment_of(line: &str) -> Option<&str> {
    let line = line.trim();
    line.strip_prefix("//").or_else(|| line.split_once(" // ").map(|(_, comment)| comment))
}

/// Returns the words of a comment in lower case. Code between backticks does not count.
fn words_of(comment: &str) -> Vec<String> {
    let prose = comment.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let words = prose.split(|character: char| !character.is_ascii_lowercase());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn words_are_counted_in_comments_only() {
    let text = "//! It retries.\nlet it = \"what\";\n// Whoever\n/// Returns `it`, its name.\nfn what() {}\n";

    let count = Count::of(text);

    assert_eq!((count.words, count.limited, count.field, count.returns), (6, [2, 0, 0, 0, 1], 1, 1));
}
