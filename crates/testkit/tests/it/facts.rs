use std::{fs, path::Path};

#[test]
fn every_fact_of_the_contract_is_tested() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/contract");
    let list = fs::read_to_string(folder.join("tests.rs")).unwrap();
    let listed: Vec<&str> = list.split([' ', ',', ';', '\n']).collect();
    let mut facts = 0;
    for file in fs::read_dir(&folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines().filter_map(|line| line.strip_prefix("pub async fn ")) {
            let (fact, _) = line.split_once('(').unwrap();

            assert!(listed.contains(&fact), "{fact} is missing in contract_tests!");
            facts += 1;
        }
    }

    assert!(facts > 40, "{facts}");
}
