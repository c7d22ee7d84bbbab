//! Numbers that another document holds at the authority: the operator skips them.

use serde_json::{Value, json};

use crate::support::Cli;

#[tokio::test]
async fn numbers_are_skipped_once_and_a_range_never_goes_back() {
    let cli = Cli::open("skipped").await;
    cli.run(&["migrate"]);
    let merchant = cli.merchant();
    let tenant = ["--merchant", &merchant, "--mode", "test"];
    let range = ["--kind", "consumer", "--from", "1", "--to", "100"];
    cli.run(&[&["sequence", "add"], &tenant[..], &range[..]].concat()).json();
    let skip = |to: &str| {
        let request = ["sequence", "skip", "--kind", "consumer", "--reissue", "--to", to];
        cli.run(&[&request[..], &tenant[..]].concat())
    };

    let (first, again, third) = (skip("40").json(), skip("40").json(), skip("50").json());
    let (beyond, below) = (skip("101"), skip("0"));
    let report = cli.run(&[&["sequence", "report", "--numbers"], &tenant[..]].concat());

    assert_eq!((&first["next"], &first["skipped"], &first["documents"]), (&json!(41), &json!(40), &json!([])));
    assert_eq!((&again["next"], &again["skipped"]), (&json!(41), &json!(0)));
    assert_eq!((&third["next"], &third["skipped"], &third["left"]), (&json!(51), &json!(10), &json!(50)));
    for refused in [beyond, below] {
        assert!(!refused.is_success && refused.stderr.contains("no range contains that number"), "{refused:?}");
    }
    let lines: Vec<Value> = report.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let [stretch, sums] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((&stretch["from"], &stretch["to"], &stretch["status"]), (&json!(1), &json!(50), &json!("skipped")));
    let numbers = &sums["ranges"][0]["numbers"];
    assert_eq!((&numbers["skipped"], &numbers["unused"]), (&json!(50), &json!(50)), "{sums}");
}
