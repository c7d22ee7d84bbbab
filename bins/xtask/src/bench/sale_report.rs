//! Tables of whole sales.

use super::{
    scale_out::Scale,
    spread::{Spread, each, rate, thousandths},
    steady::Steady,
    whole_sale::{Line, Round, Store},
};

/// Head of the table.
const HEAD: &str = "
| whole sale on | clients | a second | p50 ms | p99 ms | server ms | database ms | both in RSA-2048 | client ms | statements \
| commits | kB written | MB | failed | webhooks repeated | others % |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// Returns the table of all rounds; empty without rounds.
pub(super) fn text(rounds: &[Round]) -> String {
    let Some(first) = rounds.first() else { return String::new() };
    let mut text = HEAD.to_owned();
    for Line { store, clients, .. } in &first.lines {
        text.push_str(&row(*store, *clients, rounds));
    }
    let rows = Spread::of(rounds.iter().map(|it| it.rows).collect());
    let bytes = Spread::of(rounds.iter().map(|it| it.bytes).collect());
    let rsa = Spread::of(lines(rounds).map(|it| it.rsa).collect());
    text + &format!(
        "\nA whole sale writes {} rows in PostgreSQL, which then has {bytes} bytes more. A bare RSA-2048 signature took {} ms \
         in the same run. A sale on a fresh database costs {} times one after ANALYZE.\n",
        rows.thousandths(),
        rsa.thousandths(),
        fresh(rounds).thousandths(),
    )
}

/// Returns the cost on a fresh database in thousandths of the cost after ANALYZE, of each round.
pub(super) fn fresh(rounds: &[Round]) -> Spread {
    let cost =
        |round: &Round, store| round.lines.iter().find(|it| it.store == store && it.clients == 8).map(Line::cost);
    let ratio = |round| Some(cost(round, Store::Fresh)? * 1000 / cost(round, Store::Analyzed)?.max(1));
    Spread::of(rounds.iter().filter_map(ratio).collect())
}

/// Returns the cost in thousandths of a bare RSA-2048 signature, of each round.
pub(super) fn of_rsa(rounds: &[Round], store: Store, clients: usize) -> Spread {
    Spread::of(select(rounds, store, clients).iter().map(|it| it.of_rsa()).collect())
}

/// Describes the scale-out in a sentence.
pub(super) fn scale([one, three]: &[Scale; 2]) -> String {
    format!(
        "\nOne server and one worker made {} sales for a second of the processor, three of each {}, or {} of it; sales \
         without exactly one charge, document, number and event of each step: {} and {}.\n",
        thousandths(one.rate()),
        thousandths(three.rate()),
        thousandths(three.rate() * 1000 / one.rate().max(1)),
        one.wrong,
        three.wrong,
    )
}

/// Describes the ten minutes in a sentence.
pub(super) fn steady(it: &Steady) -> String {
    format!(
        "\nTen minutes of {} sales a second: {} MB after the first, {} at the end; p99 {} ms in the first, {} in the last; {} \
         failed.\n",
        thousandths(it.rate),
        it.memory[0] / 1024,
        it.memory[1] / 1024,
        thousandths(it.most_within[0]),
        thousandths(it.most_within[1]),
        it.failed,
    )
}

fn lines(rounds: &[Round]) -> impl Iterator<Item = &Line> {
    rounds.iter().flat_map(|it| &it.lines)
}

/// Returns the measurements of one kind.
pub(super) fn select(rounds: &[Round], store: Store, clients: usize) -> Vec<&Line> {
    lines(rounds).filter(|it| (it.store, it.clients) == (store, clients)).collect()
}

fn row(store: Store, clients: usize, rounds: &[Round]) -> String {
    let all = select(rounds, store, clients);
    let spread = |of: fn(&Line) -> u64| Spread::of(all.iter().map(|it| of(it)).collect());
    let count = |of: fn(&Line) -> u64| {
        let thousandths = spread(of).median_in_thousandths();
        if thousandths == "0.00" { String::new() } else { thousandths }
    };
    format!(
        "| {store} | {clients} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        spread(|it| rate(&it.measured)),
        spread(|it| it.measured.half_within).median_in_thousandths(),
        spread(|it| it.measured.most_within).median_in_thousandths(),
        spread(|it| each(&it.measured, it.measured.used.server)).thousandths(),
        spread(|it| each(&it.measured, it.measured.used.database)).thousandths(),
        of_rsa(rounds, store, clients).thousandths(),
        spread(|it| each(&it.measured, it.measured.used.client)).median_in_thousandths(),
        count(|it| per_sale(it, it.counts.statements)),
        count(|it| per_sale(it, it.counts.commits)),
        thousandths(spread(|it| per_sale(it, it.counts.written) / 1000).median()),
        spread(|it| it.measured.memory).median() / 1024,
        all.iter().map(|it| it.measured.failed).sum::<u64>(),
        all.iter().map(|it| it.repeated).sum::<u64>(),
        spread(|it| u64::try_from(it.measured.used.others()).unwrap_or(u64::MAX)),
    )
}

/// Returns the part of a count for one sale, in thousandths.
fn per_sale(line: &Line, count: u64) -> u64 {
    count * 1000 / line.measured.operations.max(1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::bench::{counts::Counts, machine::Used, measured::Measured};

    fn line(store: Store, milliseconds: u64) -> Line {
        let used = Used { server: Duration::from_millis(milliseconds), ..Used::default() };
        let took = Duration::from_secs(1);
        let measured = Measured { operations: 100, took, used, ..Measured::default() };
        let counts = Counts { statements: 4_250, commits: 900, written: 5_000_000 };
        Line { store, clients: 8, measured, counts, repeated: 0, rsa: 250 }
    }

    #[test]
    fn cost_is_compared_with_rsa_and_with_the_analyzed_database() {
        let round = |fresh| Round {
            lines: vec![line(Store::Fresh, fresh), line(Store::Analyzed, 500)],
            rows: 30_000,
            bytes: 40_000,
        };

        let rounds = [round(550), round(600), round(1000)];

        assert_eq!(fresh(&rounds).thousandths(), "1.20 (1.10–2.00)");
        assert_eq!(of_rsa(&rounds, Store::Analyzed, 8).thousandths(), "20.00 (20.00–20.00)");
        let text = text(&rounds);
        assert!(text.contains("| PostgreSQL | 8 | 100 (100–100) |"), "{text}");
        assert!(text.contains("| 42.50 | 9.00 | 50.00 |"), "{text}");
        assert!(text.contains("writes 30.00 (30.00–30.00) rows"), "{text}");
    }
}
