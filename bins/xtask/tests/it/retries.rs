//! The clients that the documentation shows, against a server that fails them.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::Command,
    thread,
};

/// A7: documentation suggested a new key for each request, so that each retry charged again.
#[test]
fn client_retries_with_the_same_key() {
    let python = "import sys; from cobro import Cobro; print(Cobro(sys.argv[1], 'k').post('/v1/payments', {})['id'])";
    let node = "import('./cobro.mjs').then(({ Cobro }) => new Cobro(process.argv[1], 'k').post('/v1/payments', {}))\
                .then(({ id }) => console.log(id))";
    for (program, option, script, folder) in
        [("python3", "-c", python, "docs/examples/python"), ("node", "-e", node, "docs/examples/node")]
    {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = thread::spawn(move || ANSWERS.map(|answer| serve(&listener, answer)));

        let mut client = Command::new(program);
        client.args([option, script, &url]).env("no_proxy", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1");
        let client = client.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)).output();
        let client = client.unwrap_or_else(|error| panic!("{program} is missing: {error}"));

        assert!(client.status.success(), "{program}: {}", String::from_utf8_lossy(&client.stderr));
        assert_eq!(String::from_utf8_lossy(&client.stdout).trim(), "payment_1", "{program}");
        let keys = server.join().unwrap();
        assert!(keys[0].len() >= 32, "{program}: {keys:?}");
        assert!(keys.iter().all(|key| *key == keys[0]), "{program}: {keys:?}");
    }
}

/// Responses to one request after another: none, 503, 409, 201.
const ANSWERS: [Option<(&str, &str)>; 4] = [
    None,
    Some((
        "503 Service Unavailable\r\nRetry-After: 1",
        r#"{"error":{"code":"x","message":"","docUrl":"","requestId":""}}"#,
    )),
    Some(("409 Conflict\r\nRetry-After: 1", r#"{"error":{"code":"x","message":"","docUrl":"","requestId":""}}"#)),
    Some(("201 Created", r#"{"id":"payment_1"}"#)),
];

/// Reads a request and returns the idempotency key.
fn serve(listener: &TcpListener, answer: Option<(&str, &str)>) -> String {
    let (stream, _) = listener.accept().unwrap();
    let key = read(&stream);
    if let Some((head, body)) = answer {
        let length = body.len();
        write!(&stream, "HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").unwrap();
    }
    key
}

fn read(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut key, mut length) = (String::new(), 0);
    for line in reader.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()) {
        let (name, value) = line.split_once(": ").unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "idempotency-key" => value.clone_into(&mut key),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
    key
}
