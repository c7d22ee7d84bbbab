//! What one document costs a processor: bare RSA, written and signed, then verified as well, and printed. Told as one line of
//! JSON, for whoever measures.
//!
//! ```text
//! documents SECONDS
//! ```
//!
//! One thing is done at a time, with the server's allocator, and what counts is the time of a processor that the process used:
//! whoever else uses the machine does not change that much.

use std::{
    error::Error,
    fs,
    time::{Duration, Instant},
};

use aws_lc_rs::{rand::SystemRandom, rsa::KeyPair, signature::RSA_PKCS1_SHA256};
use chrono::TimeDelta;
use dgii::Composer;
use domain::{
    FiscalDocument,
    fiscal::{Breakdown, Content},
};
use ports::{DocumentComposer, DocumentPrinter, DocumentSigner, SigningIdentity};
use printed::Printer;
use testkit::sample;
use xml_signer::XmlSigner;

/// Lines of the document that is measured: a usual bill.
const LINES: i64 = 15;
/// The kernel counts the time of a process in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Done<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Done<()> {
    let Some(Ok(seconds @ 1..=60)) = std::env::args().nth(1).map(|it| it.parse::<u64>()) else {
        eprintln!("documents SECONDS");
        std::process::exit(2);
    };
    let each = Duration::from_secs(seconds);
    let (document, identity) = (document()?, identity()?);
    let numbered = sample::numbered(1);
    let (signer, printer) = (XmlSigner::new(), Printer::new()?);
    let write = || Composer.compose(&document, &numbered, sample::noon());
    let xml = signer.sign(&identity, write()?).await?.xml;
    let paper = printer.print(&document, &numbered, &sample::signed(1)).await?;

    let key = KeyPair::from_pkcs8(&identity.private_key)?;
    let mut signature = vec![0; key.public_modulus_len()];
    let mut sign = || key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), &[7; 200], &mut signature);
    let rsa = cost(each, async || Ok(sign()?)).await?;
    let signed = cost(each, async || {
        signer.sign(&identity, write()?).await?;
        Ok(())
    });
    let signed = signed.await?;
    let checked = cost(each, async || {
        let signed = signer.sign(&identity, write()?).await?;
        signer.verify(signed.xml.as_bytes()).await?;
        Ok(())
    });
    let checked = checked.await?;
    let printed = cost(each, async || {
        printer.print(&document, &numbered, &sample::signed(1)).await?;
        Ok(())
    });
    let printed = printed.await?;
    println!(
        r#"{{"lines":{LINES},"rsaMicroseconds":{rsa},"signedMicroseconds":{signed},"checkedMicroseconds":{checked},"printedMicroseconds":{printed},"xmlBytes":{},"pdfBytes":{}}}"#,
        xml.len(),
        paper.len(),
    );
    Ok(())
}

/// What one of them takes of a processor, in microseconds: the mean of as many as there are in that time.
async fn cost(each: Duration, mut work: impl AsyncFnMut() -> Done<()>) -> Done<u128> {
    work().await?;
    let (begun, before, mut count) = (Instant::now(), used()?, 0);
    while begun.elapsed() < each {
        work().await?;
        count += 1;
    }
    Ok((used()? - before).as_micros() / count)
}

/// The time of a processor that this process has used.
fn used() -> Done<Duration> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit_once(')').ok_or("no name ends")?.1.split_whitespace();
    let ticks: u32 = fields.skip(11).take(2).map(|it| it.parse::<u32>().unwrap_or_default()).sum();
    Ok(TICK * ticks)
}

fn identity() -> Done<SigningIdentity> {
    let (from, until) = (sample::noon() - TimeDelta::days(1), sample::noon() + TimeDelta::days(365));
    let made = xml_signer::self_made_certificate("Rosa Prueba", "IDCDO-00113918205", from, until)?;
    Ok(xml_signer::read_pkcs12(&made.pkcs12, &made.password)?.identity)
}

/// A bill as a merchant would send it.
fn document() -> Done<FiscalDocument> {
    let mut document = sample::sale(1).document;
    let lines: Vec<_> = (1..=LINES).map(|n| sample::line(100_00 + n)).collect();
    let breakdown = Breakdown::of(&lines, true).map_err(|it| format!("{it:?}"))?;
    let content = Content { lines, breakdown, ..document.content().clone() };
    document.change_content(content, sample::noon()).map_err(|it| format!("{it:?}"))?;
    Ok(document)
}
