//! Chance that can be replayed.

/// A stream of small choices, from a seed or from the tape of an earlier run.
///
/// Zero is always the simple choice (no fault, no delay, the first of several), so a tape with more zeros is a
/// shorter story.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    source: Source,
    tape: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Source {
    Seed(u64),
    Tape(Vec<u32>),
}

impl Chance {
    /// Everything follows from `seed`.
    pub(crate) const fn seeded(seed: u64) -> Self {
        Self { source: Source::Seed(seed), tape: Vec::new() }
    }

    /// Replays `tape`, and chooses zero after the end.
    pub(crate) const fn replaying(tape: Vec<u32>) -> Self {
        Self { source: Source::Tape(tape), tape: Vec::new() }
    }

    /// A number below `bound`; zero if there is no other.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        if bound < 2 {
            return 0;
        }
        let choice = match &mut self.source {
            Source::Seed(state) => {
                let drawn = split_mix(state) % u64::from(bound);
                u32::try_from(drawn).unwrap_or_default()
            }
            Source::Tape(tape) => tape.get(self.tape.len()).map_or(0, |it| (*it).min(bound - 1)),
        };
        self.tape.push(choice);
        choice
    }

    /// Yes, once in `n` times; never if `n` is zero.
    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        n == 1 || (n > 1 && self.below(n) == n - 1)
    }

    /// One of `choices`, the first being the boring one.
    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let place = self.below(u32::try_from(choices.len()).unwrap_or(u32::MAX));
        choices[place as usize]
    }

    /// Returns the choices so far.
    pub(crate) fn tape(&self) -> &[u32] {
        &self.tape
    }
}

/// Steele, Lea and Flood's SplitMix64: one addition and two multiplications for a number.
const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
