//! Flame graph: an SVG with one box for each function on each path of calls, as wide as its share of the samples.

use std::{collections::BTreeMap, fmt::Write as _};

/// Width of the picture.
const WIDTH: u64 = 1600;
/// Height of a box.
const ROW: u64 = 17;
/// Width of a letter.
const LETTER: u64 = 7;
/// Boxes of less than so many thousandths of all samples are left out.
const LEAST: u64 = 2;

/// Function with the functions that it calls.
#[derive(Debug, Default, PartialEq, Eq)]
struct Frame {
    samples: u64,
    calls: BTreeMap<String, Frame>,
}

/// Draws the output of `perf script -F comm,ip,sym`.
pub(super) fn draw(script: &str, title: &str) -> String {
    let root = read(script);
    let rows = depth(&root, least(&root)) + 2;
    let height = rows * ROW;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"monospace\" \
         font-size=\"11\">\n<title>{0}</title>\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fffdf5\"/>\n\
         <text x=\"4\" y=\"13\">{0}: {1} samples</text>\n",
        escaped(title),
        root.samples,
    );
    draw_calls(&root, &root, (0, rows), &mut svg);
    svg + "</svg>\n"
}

/// Adds up samples. Each begins with the name of its thread, and names its functions from the innermost.
fn read(script: &str) -> Frame {
    let mut root = Frame::default();
    for sample in script.split("\n\n") {
        let mut lines = sample.lines().filter(|line| !line.trim().is_empty());
        let Some(thread) = lines.next() else { continue };
        let mut path: Vec<String> = lines.filter_map(|line| Some(short(line.trim().split_once(' ')?.1))).collect();
        path.push(thread.trim().to_owned());
        root.samples += 1;
        let mut frame = &mut root;
        for name in path.into_iter().rev() {
            frame = frame.calls.entry(name).or_default();
            frame.samples += 1;
        }
    }
    root
}

/// Returns the name of a function without hash and generic arguments.
fn short(symbol: &str) -> String {
    let symbol = symbol.split("+0x").next().unwrap_or_default();
    let symbol = symbol.split_once("::h").filter(|(_, hash)| hash.len() == 16).map_or(symbol, |(name, _)| name);
    let (mut name, mut nesting) = (String::new(), 0_u32);
    for letter in symbol.replace("->", "→").chars() {
        match letter {
            '<' if !name.is_empty() => {
                if nesting == 0 && name.ends_with("::") {
                    name.truncate(name.len() - 2);
                }
                nesting += 1;
            }
            '>' if nesting > 0 => nesting -= 1,
            _ if nesting == 0 => name.push(letter),
            _ => {}
        }
    }
    name
}

fn least(root: &Frame) -> u64 {
    root.samples * LEAST / 1000
}

fn depth(frame: &Frame, least: u64) -> u64 {
    let calls = frame.calls.values().filter(|it| it.samples > least);
    calls.map(|it| 1 + depth(it, least)).max().unwrap_or(0)
}

/// Draws the functions that `frame` calls above it, from its first sample on.
fn draw_calls(root: &Frame, frame: &Frame, (mut first, row): (u64, u64), svg: &mut String) {
    for (name, call) in frame.calls.iter().filter(|(_, it)| it.samples > least(root)) {
        let (x, end) = (first * WIDTH / root.samples, (first + call.samples) * WIDTH / root.samples);
        let (y, width) = ((row - 1) * ROW, end - x);
        let letters = usize::try_from(width / LETTER).unwrap_or_default();
        let text: String = if letters < 3 { String::new() } else { name.chars().take(letters).collect() };
        let hue = name.bytes().fold(0_u64, |sum, byte| (sum * 31 + u64::from(byte)) % 55);
        let permille = call.samples * 1000 / root.samples;
        let drawn = writeln!(
            svg,
            "<g><title>{} ({}.{} %)</title><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" \
             fill=\"hsl({hue},80%,68%)\" stroke=\"#fffdf5\"/><text x=\"{}\" y=\"{}\">{}</text></g>",
            escaped(name),
            permille / 10,
            permille % 10,
            ROW - 1,
            x + 2,
            y + ROW - 5,
            escaped(&text),
        );
        // A text grows without limit.
        debug_assert!(drawn.is_ok());
        draw_calls(root, call, (first, row - 1), svg);
        first += call.samples;
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "worker-1\n\t  55d0 ring::sign::h0123456789abcdef+0x10 (cobro)\n\t  55d1 app::issue::<T>+0x1\n\n\
        worker-1\n\t  55d2 pdf::render\n\t  55d1 app::issue<T>\n\nhttp\n\t  55d3 <A as B<C>>::poll\n";

    #[test]
    fn samples_are_added_up_by_path() {
        let root = read(SCRIPT);

        let issue = &root.calls["worker-1"].calls["app::issue"];
        assert_eq!((root.samples, issue.samples), (3, 2));
        assert_eq!(issue.calls.keys().collect::<Vec<_>>(), ["pdf::render", "ring::sign"]);
        assert_eq!(root.calls["http"].calls.keys().next().unwrap(), "<A as B>::poll");
    }

    #[test]
    fn boxes_are_as_wide_as_their_share() {
        let svg = draw(SCRIPT, "a & b");

        assert!(svg.contains("<title>a &amp; b</title>"), "{svg}");
        assert!(svg.contains("<title>app::issue (66.6 %)</title><rect x=\"533\""), "{svg}");
        assert!(svg.contains("&lt;A as B&gt;::poll"), "{svg}");
    }
}
