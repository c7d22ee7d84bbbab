use std::fs;

use crate::support::{Cli, make_certificate};

#[tokio::test]
async fn an_operator_sets_a_merchant_up() {
    let cli = Cli::open("operator").await;
    assert!(cli.run(&["migrate"]).is_success);

    let merchant = cli.merchant();
    let tenant = ["--merchant", &merchant, "--mode", "test"];
    let account = cli.run(&[&["account", "create"], &tenant[..], &["--provider", "simulator"]].concat());
    let key = cli.run(&[&["key", "create"], &tenant[..], &["--role", "admin"]].concat());
    let range = ["--kind", "fiscal_credit", "--from", "1", "--to", "500", "--valid-until", "2099-12-31"];
    let added = cli.run(&[&["sequence", "add"], &tenant[..], &range[..]].concat());
    let shown = cli.run(&[&["merchant", "show"], &tenant[..]].concat()).json();
    let report = cli.run(&[&["sequence", "report"], &tenant[..], &["--numbers"]].concat()).json();
    let unknown = ["--merchant", "merchant_01jz0000000000000000000001", "--mode", "test"];
    let of_unknown = cli.run(&[&["sequence", "report"], &unknown[..]].concat());
    let add = |more: &[&str]| cli.run(&[&["sequence", "add"], &tenant[..], &["--kind", "government"], more].concat());
    let over = add(&["--from", "1", "--to", "9", "--valid-until", "2020-12-31"]);
    let late = add(&["--from", "1", "--to", "9", "--valid-until", "2100-01-01"]);
    let counts = ["--from", "1", "--to", "9", "--valid-until", "2099-12-31", "--environment", "ecf"];
    let counts = add(&counts);

    assert!(account.text("merchantAccountId").starts_with("merchant_account_"));
    assert!(key.text("apiKey").starts_with("gk_test_"));
    assert!(!of_unknown.is_success && of_unknown.stderr.contains("there is no such merchant"), "{}", of_unknown.stderr);
    assert!(!late.is_success && late.stderr.contains("no day after 2099"), "{}", late.stderr);
    assert!(!over.is_success && over.stderr.contains("the last day of the range is over"), "{}", over.stderr);
    assert!(!counts.is_success && counts.stderr.contains("test-mode sales cannot use"), "{}", counts.stderr);
    assert_eq!(shown["sequences"].as_array().map(Vec::len), Some(1));
    assert_eq!(added.text("environment"), "testecf");
    assert_eq!(shown["profile"]["missingFields"], serde_json::json!([]));
    assert_eq!(shown["profile"]["isSplitEnabled"], true);
    assert_eq!(shown["accounts"][0]["provider"], "simulator");
    assert_eq!(shown["sequences"][0]["to"], 500);
    assert_eq!(shown["certificate"], serde_json::Value::Null);
    let range = &report["ranges"][0];
    assert_eq!(
        (&range["environment"], &range["next"], &range["isExpired"]),
        (&"testecf".into(), &1.into(), &false.into())
    );
    assert_eq!((&range["numbers"]["unused"], &range["annulments"]["annulled"]), (&500.into(), &0.into()));
}

#[tokio::test]
async fn keys_are_listed_without_their_secret_replaced_and_ended() {
    let cli = Cli::open("keys").await;
    cli.run(&["migrate"]);
    let merchant = cli.merchant();
    let tenant = ["--merchant", &merchant, "--mode", "test"];
    let account = cli.run(&[&["account", "create"], &tenant[..], &["--provider", "simulator"]].concat());
    let account = account.text("merchantAccountId");
    let restriction = ["--role", "admin", "--account", &account];
    let first = cli.run(&[&["key", "create"], &tenant[..], &restriction].concat()).text("apiKey");
    let hint = &first[..12];

    let replace = ["--key", hint, "--overlap", "7d"];
    let second = cli.run(&[&["key", "rotate"], &tenant[..], &replace].concat()).text("apiKey");
    let ended = cli.run(&[&["key", "revoke"], &tenant[..], &["--key", hint]].concat()).json();
    let again = cli.run(&[&["key", "revoke"], &tenant[..], &["--key", hint]].concat());
    let too_long = cli.run(&[&["key", "rotate"], &tenant[..], &["--key", &second[..12], "--overlap", "8d"]].concat());
    let unknown = ["--account", "merchant_account_01JZ0000000000000000000001"];
    let unknown = cli.run(&[&["key", "create"], &tenant[..], &unknown].concat());
    let listed = cli.run(&[&["key", "list"], &tenant[..]].concat()).json();

    let keys = listed["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 2);
    for (key, text, is_valid) in [(&keys[0], &first, false), (&keys[1], &second, true)] {
        assert_eq!((&key["key"], &key["isValid"]), (&text[..12].into(), &is_valid.into()));
        assert_eq!((&key["role"], &key["merchantAccountIds"][0]), (&"admin".into(), &account.as_str().into()));
        assert!(!listed.to_string().contains(text.as_str()));
    }
    assert_eq!(ended["isValid"], false);
    for refused in [again, too_long, unknown] {
        assert!(!refused.is_success);
    }
}

#[tokio::test]
async fn the_right_to_refund_is_listed_and_preserved() {
    let cli = Cli::open("may_refund").await;
    cli.run(&["migrate"]);
    let merchant = cli.merchant();
    let tenant = ["--merchant", &merchant, "--mode", "test"];
    let standard = cli.run(&[&["key", "create"], &tenant[..]].concat()).json();
    let admin = cli.run(&[&["key", "create"], &tenant[..], &["--role", "admin"]].concat()).json();
    assert_eq!((&standard["mayRefund"], &admin["mayRefund"]), (&false.into(), &true.into()));
    let created = cli.run(&[&["key", "create"], &tenant[..], &["--may-refund"]].concat());
    assert_eq!(created.json()["mayRefund"], true);
    let refunding = created.text("apiKey");
    cli.run(&[&["key", "rotate"], &tenant[..], &["--key", &refunding[..12]]].concat());

    let listed = cli.run_without_key(&[&["key", "list"], &tenant[..]].concat()).json();

    let may_refund: Vec<bool> =
        listed["keys"].as_array().unwrap().iter().map(|it| it["mayRefund"].as_bool().unwrap()).collect();
    assert_eq!(may_refund, [false, true, true, true]);
}

#[tokio::test]
async fn a_certificate_is_imported_with_its_password_from_a_file_or_the_environment() {
    let cli = Cli::open("certificate").await;
    cli.run(&["migrate"]);
    let merchant = cli.merchant();
    let file = |name: &str| cli.path(name);
    make_certificate(file("one.p12").as_ref(), "from the environment");
    make_certificate(file("two.p12").as_ref(), "from a file");
    fs::write(file("password"), "from a file\n").unwrap();

    let import = |options: &[&str]| {
        cli.run(&[&["certificate", "import", "--merchant", &merchant, "--mode", "test", "--file"], options].concat())
    };
    let from_environment = import(&[&file("one.p12")]);
    let from_file = import(&[&file("two.p12"), "--password-file", &file("password")]);
    let wrong = import(&[&file("two.p12")]);

    assert!(from_environment.text("certificateId").starts_with("certificate_"));
    assert!(from_file.text("certificateId").starts_with("certificate_"));
    assert!(wrong.stderr.contains("password of the PKCS#12 file is wrong"), "{wrong:?}");
    assert!(!wrong.stderr.contains("from the environment"));

    let listed = cli.run(&["certificate", "list", "--merchant", &merchant]);
    let listed: Vec<serde_json::Value> = listed.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let in_force: Vec<bool> = listed.iter().map(|it| it["isInForce"].as_bool().unwrap()).collect();
    assert_eq!(in_force, [true, false]);
    assert_eq!(listed[0]["certificateId"], from_file.text("certificateId").as_str());
    for it in &listed {
        assert!(it["serial"].as_str().is_some_and(|it| !it.is_empty()), "{it}");
        assert!(it["issuer"].is_string() && it["subject"].is_string() && it["until"].is_string(), "{it}");
    }
}

#[tokio::test]
async fn ranges_are_listed_a_line_each_with_what_is_left() {
    let cli = Cli::open("range_lists").await;
    cli.run(&["migrate"]);
    let merchant = cli.merchant();
    let settings = cli.path("settings");
    fs::write(&settings, format!("COBRO_DATABASE_URL={}\n", cli.database.url)).unwrap();
    for (mode, kind, environment) in
        [("test", "consumer", "testecf"), ("test", "credit_note", "certecf"), ("live", "fiscal_credit", "ecf")]
    {
        let tenant = ["sequence", "add", "--merchant", &merchant, "--mode", mode, "--kind", kind];
        let which = ["--from", "1", "--to", "100", "--valid-until", "2099-12-31", "--environment", environment];
        cli.run(&[&tenant[..], &which[..]].concat()).json();
    }

    let list = |more: &[&str]| {
        let list = ["sequence", "list", "--merchant", &merchant, "--config", &settings];
        let listed = crate::support::cobro(&[&list[..], more].concat(), &[]);
        listed.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let (all, live) = (list(&[]), list(&["--mode", "live"]));
    let unknown = cli.run(&["sequence", "list", "--merchant", "merchant_00000000000000000000000000"]);

    assert_eq!((all.len(), live.len()), (3, 1));
    assert_eq!((&live[0]["kind"], &live[0]["environment"]), (&"fiscal_credit".into(), &"ecf".into()));
    assert_eq!((&live[0]["left"], &live[0]["next"], &live[0]["to"]), (&100.into(), &1.into(), &100.into()));
    assert_eq!((&live[0]["state"], &live[0]["validUntil"]), (&"open".into(), &"2099-12-31".into()));
    assert!(!unknown.is_success && unknown.stderr.contains("there is no such merchant"), "{unknown:?}");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_in_a_sentence() {
    let cli = Cli::open("refusals").await;

    let check = |arguments: &[&str], sentence: &str| {
        let refused = cli.run(arguments);
        assert!(!refused.is_success && refused.stdout.is_empty(), "{refused:?}");
        assert!(refused.stderr.contains(sentence), "{refused:?}");
    };
    check(&["merchant", "show", "--merchant", "merchant_x", "--mode", "test"], "merchant_ and its symbols");
    let described = ["merchant", "create", "--legal-name", "Prueba", "--rnc"];
    check(&[&described[..], &["130000002"]].concat(), "the last digit of an RNC checks the others");
    check(&[&described[..], &["00100000017"]].concat(), "a cédula is no RNC");
    check(&[&described[..], &["12345"]].concat(), "the nine digits of an RNC");
    check(&[&described[..], &["130000001"]].concat(), "run `cobro migrate` first");

    cli.run(&["migrate"]);
    let merchant = cli.merchant();
    let live = ["--merchant", &merchant, "--mode", "live"];
    check(&[&["account", "create"], &live[..], &["--provider", "simulator"]].concat(), "has no live mode");
    let range = ["--kind", "government", "--from", "1", "--to", "500"];
    check(&[&["sequence", "add"], &live[..], &range[..]].concat(), "the last day of their range");
    let other_day = ["--kind", "government", "--from", "1", "--to", "500", "--valid-until", "27/11/2026"];
    check(&[&["sequence", "add"], &live[..], &other_day[..]].concat(), "a day is expected, as in 2026-11-27");
    fs::write(cli.path("certificate.pem"), "-----BEGIN CERTIFICATE-----\n").unwrap();
    let pem = ["--file", &cli.path("certificate.pem")];
    check(&[&["certificate", "import"], &live[..], &pem[..]].concat(), "the file is no PKCS#12 file");
    let unknown = ["--merchant", "merchant_00000000000000000000000000", "--mode", "test"];
    check(&[&["key", "create"], &unknown[..]].concat(), "there is no such merchant");
}

#[tokio::test]
async fn merchants_and_accounts_are_listed_and_named_in_one_way() {
    let cli = Cli::open("lists").await;
    cli.run(&["migrate"]);
    let (first, second) = (cli.merchant(), cli.merchant());
    let tenant = ["--merchant", &first, "--mode", "test"];
    let account = cli.run(&[&["account", "create"], &tenant[..], &["--provider", "azul"]].concat());
    let account = account.text("merchantAccountId");
    let key = cli.run(&[&["key", "create"], &tenant[..]].concat()).text("apiKey");
    let credentials = r#"{"merchantId": "39000000001", "auth1": "one", "auth2": "two"}"#;
    fs::write(cli.path("credentials.json"), format!("\u{feff}{credentials}")).unwrap();

    let listed = cli.run(&["merchant", "list"]);
    let accounts = cli.run(&["account", "list", "--merchant", &first]).json();
    let both = cli.run(&["merchant", "show", &first]);
    let old = cli.run(&["merchant", "show", "--merchant", &first, "--mode", "live"]).json();
    let file = ["--file", &cli.path("credentials.json")];
    let set = cli.run(&[&["account", "credentials", &account], &file[..]].concat());
    let unknown = ["account", "credentials", "merchant_account_00000000000000000000000000"];
    let unknown = cli.run(&[&unknown[..], &file[..]].concat());
    let ended = cli.run(&[&["key", "revoke", &key[..12]], &tenant[..]].concat()).json();
    let none = cli.run(&["document", "show", "fiscal_document_00000000000000000000000000"]);

    let mut ids: Vec<String> = Vec::new();
    for line in listed.stdout.lines() {
        let merchant: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&merchant["rnc"], &merchant["displayName"]), (&"130000001".into(), &"Prueba".into()));
        ids.push(merchant["merchantId"].as_str().unwrap().to_owned());
    }
    ids.sort();
    let mut made = [first, second];
    made.sort();
    assert_eq!(ids, made);
    assert_eq!((&accounts["merchantAccountId"], &accounts["mode"]), (&account.as_str().into(), &"test".into()));
    assert_eq!((both.stdout.lines().count(), &old["mode"]), (2, &"live".into()));
    // The file has a byte order mark and contains no certificate.
    assert!(!set.is_success && !set.stderr.contains("not one JSON object"), "{set:?}");
    assert!(unknown.stderr.contains("there is no such account"), "{unknown:?}");
    assert_eq!(ended["isValid"], false);
    assert!(none.stderr.contains("there is no such document"), "{none:?}");
}

#[tokio::test]
async fn a_misspelled_command_gets_a_suggestion() {
    for (arguments, suggestion) in
        [(&["sanbox"][..], "'sandbox'"), (&["merchant", "shwo"], "'show'"), (&["serve", "--confg", "x"], "'--config'")]
    {
        let refused = crate::support::cobro(arguments, &[]);

        assert!(!refused.is_success && refused.stderr.contains(suggestion), "{refused:?}");
    }
}

#[tokio::test]
async fn a_range_is_never_granted_twice() {
    let cli = Cli::open("ranges").await;
    cli.run(&["migrate"]);
    let merchant = cli.merchant();
    let add = |from: &str, to: &str| {
        let tenant = ["sequence", "add", "--merchant", &merchant, "--mode", "test", "--kind", "consumer"];
        cli.run(&[&tenant[..], &["--from", from, "--to", to]].concat())
    };

    assert!(add("1", "100").is_success);
    assert!(add("50", "150").stderr.contains("in a range of this kind that the issuer has already"));
    assert!(add("101", "200").is_success);
}

#[tokio::test]
async fn a_rate_has_a_day_and_a_source() {
    let cli = Cli::open("rates").await;
    cli.run(&["migrate"]);
    let merchant = cli.merchant();
    let set = |rate: &str| {
        let tenant = ["rate", "set", "--merchant", &merchant, "--mode", "test", rate, "--date", "2026-11-27"];
        cli.run(&[&tenant[..], &["--source", "Banco Central, venta"]].concat())
    };

    let rate = set("58.1234").json();

    assert_eq!(
        (&rate["rate"], &rate["date"], &rate["lastDay"]),
        (&"58.1234".into(), &"2026-11-27".into(), &"2026-12-03".into())
    );
    assert_eq!((&rate["currency"], &rate["source"]), (&"USD".into(), &"Banco Central, venta".into()));
    assert!(set("0.5").stderr.contains("1.0000 to 999.9999"));
    assert!(set("58.12345").stderr.contains("at most four decimals"));
}

/// The message names the URL of the unavailable authority and the command that continues.
#[tokio::test]
async fn annulment_resumes_after_the_authority_was_unavailable() {
    let cli = Cli::open("unheard").await;
    cli.run(&["migrate"]);
    let merchant = cli.merchant();
    let tenant = ["--merchant", &merchant, "--mode", "test"];
    make_certificate(cli.path("one.p12").as_ref(), "from the environment");
    cli.run(&[&["certificate", "import"], &tenant[..], &["--file", &cli.path("one.p12")]].concat()).json();
    let range = ["--kind", "consumer", "--from", "1", "--to", "100"];
    cli.run(&[&["sequence", "add"], &tenant[..], &range[..]].concat()).json();
    let key_file = cli.path("master.key");
    let variables = [
        ("COBRO_DATABASE_URL", cli.database.url.as_str()),
        ("COBRO_MASTER_KEY_FILE", &key_file),
        ("COBRO_DGII_URLS", "http://127.0.0.1:9"),
    ];

    let annulment = ["sequence", "annul", "--kind", "consumer", "--from", "51"];
    let ambiguous = crate::support::cobro(&[&annulment[..], &tenant[..]].concat(), &variables);

    let output: serde_json::Value = serde_json::from_str(ambiguous.stdout.trim()).unwrap();
    let again = format!("`cobro sequence annul --resume {}`", output["annulmentId"].as_str().unwrap());
    assert!(!ambiguous.is_success, "{ambiguous:?}");
    for words in ["the authority cannot be reached", "`cobro doctor`", "COBRO_DGII_URLS", &again] {
        assert!(ambiguous.stderr.contains(words), "{words} in {ambiguous:?}");
    }
}
