//! The page that a run prints.

use std::{fs, process::Command};

use super::{
    documents::{Costs, Ratio},
    goals::Goals,
    machine,
    measured::{Measured, Size},
    operations::Operation,
    results::Report,
    sale_report,
    spread::{Spread, each, rate, thousandths, whole},
};
use crate::chore::root;

impl Report {
    /// Returns the report as a page.
    pub(super) fn text(&self) -> String {
        let Size { payments, rounds, seconds, .. } = self.size;
        let mut text = format!(
            "{} on {}.\n{payments} payments, {rounds} rounds of {seconds} s each; the load was {} before. \
             Medians, and their range.\n\n",
            today(),
            machine::describe(),
            self.busy_before,
        );
        if !self.rounds.0.is_empty() {
            text.push_str(HEAD);
        }
        for (operation, rounds) in &self.rounds.0 {
            text.push_str(&self.row(operation, rounds));
        }
        let starts: Vec<u64> = self.starts.iter().map(|it| whole(it.as_micros())).collect();
        if !starts.is_empty() {
            text.push_str(&format!("\nFrom exec to ready: {} ms.\n", Spread::of(starts).thousandths()));
        }
        let of = |measured: &Option<Measured>, describe: fn(&Measured) -> String| {
            measured.as_ref().map_or_else(String::new, describe)
        };
        text + &[
            sale_report::text(&self.sales),
            self.scale.as_ref().map_or_else(String::new, sale_report::scale),
            self.steady.as_ref().map_or_else(String::new, sale_report::steady),
            of(&self.issued, documents),
            self.costs.as_ref().map_or_else(String::new, each_document),
            of(&self.webhooks, webhooks),
            of(&self.register, taxpayers),
            if self.page.is_empty() { String::new() } else { format!("\n{}", self.page) },
            of(&self.cards, cards),
            Goals::of(self).text(),
            if self.rounds.0.is_empty() { String::new() } else { statements("statements.md") },
            if self.sales.is_empty() { String::new() } else { statements("whole-sale.md") },
        ]
        .concat()
    }

    fn row(&self, operation: &Operation, rounds: &[Measured]) -> String {
        let spread = |of: fn(&Measured) -> u64| Spread::of(rounds.iter().map(of).collect());
        let source = if operation.is_http { "" } else { " (database alone)" };
        format!(
            "| {}{source} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            operation.kind,
            operation.connections,
            spread(rate),
            self.rounds.ratio(operation, rounds),
            spread(|it| it.half_within).median_in_thousandths(),
            spread(|it| it.most_within).median_in_thousandths(),
            spread(|it| each(it, it.used.server)).median_in_thousandths(),
            spread(|it| each(it, it.used.database)).median_in_thousandths(),
            spread(|it| each(it, it.used.client)).median_in_thousandths(),
            spread(|it| it.memory).median() / 1024,
            rounds.iter().map(|it| it.failed).sum::<u64>(),
            spread(|it| whole(it.used.others())),
        )
    }
}

/// Head of the table of rates.
const HEAD: &str = "\
| load | conn. | a second | of the database's | p50 ms | p99 ms | server ms | database ms | client ms | MB | failed | others % |
|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// How documents came to be issued, in a sentence.
fn documents(it: &Measured) -> String {
    let (server, database) = (each(it, it.used.server), each(it, it.used.database));
    format!(
        "\n{} documents of one merchant that were due at once were issued: {} a second, or {} for each second of a \
         processor that server and database used ({} ms and {} ms each); {} MB at most; {} failed; others {} %.\n",
        it.operations,
        rate(it),
        1_000_000 / (server + database).max(1),
        thousandths(server),
        thousandths(database),
        it.memory / 1024,
        it.failed,
        it.used.others(),
    )
}

/// Describes the cost of one document.
fn each_document(it: &Costs) -> String {
    let ratio = |ratio: Ratio| Spread::of(ratio.to_vec()).thousandths();
    format!(
        "\nA document of {} lines takes {} ms of a processor to be written and signed, {} of the rate of bare RSA-2048 \
         ({} ms); {} ms with its signature verified, {} of it; and {} ms to be printed, on {} bytes.\n",
        it.lines,
        thousandths(it.signed),
        ratio(it.signed_of_rsa),
        thousandths(it.rsa),
        thousandths(it.checked),
        ratio(it.checked_of_rsa),
        thousandths(it.printed),
        it.paper,
    )
}

/// How events got to their endpoint, in a sentence.
fn webhooks(it: &Measured) -> String {
    let server = each(it, it.used.server);
    format!(
        "\n{} events that waited for one endpoint were sent: {} a second, or {} for each second of a processor that the \
         server used ({} ms each, the database {}, the receiver {}); {} MB at most; {} failed; others {} %.\n",
        it.operations,
        rate(it),
        1_000_000 / server.max(1),
        thousandths(server),
        thousandths(each(it, it.used.database)),
        thousandths(each(it, it.used.client)),
        it.memory / 1024,
        it.failed,
        it.used.others(),
    )
}

/// How the register of taxpayers got into the database, in a sentence.
fn taxpayers(it: &Measured) -> String {
    format!("\n{} taxpayers of the register were imported: {} a second.\n", it.operations, rate(it))
}

/// How cards got through the adapter, in a sentence.
fn cards(it: &Measured) -> String {
    format!(
        "\n{} cards went through the adapter to the simulated acquirer over mutual TLS: {} a second, p50 {} ms, p99 {} ms; \
         {} MB at most, with both ends in one process; {} failed.\n",
        it.operations,
        rate(it),
        thousandths(it.half_within),
        thousandths(it.most_within),
        it.memory / 1024,
        it.failed,
    )
}

/// Returns counts from a page that a test writes.
fn statements(page: &str) -> String {
    let page = root().join("docs/generated").join(page);
    let text = fs::read_to_string(page).unwrap_or_default();
    text.split_once("\n\n").map_or(String::new(), |(_, rest)| format!("\n{rest}"))
}

/// The date in UTC.
fn today() -> String {
    let date = Command::new("date").args(["-u", "+%F"]).output();
    date.map_or(String::new(), |it| String::from_utf8_lossy(&it.stdout).trim().to_owned())
}
