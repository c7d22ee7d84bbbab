use std::{path::Path, process::Command};

/// Certificates for mutual TLS between us and a simulated AZUL, in files below one folder: that of the
/// server, and one for each merchant that is named, all of them by one authority.
pub(crate) struct Papers {
    folder: String,
}

impl Papers {
    /// Makes them, as OpenSSL would.
    pub(crate) fn make(folder: &Path, merchants: &[&str]) -> Self {
        let papers = Self { folder: folder.to_str().unwrap().to_owned() };
        papers.run(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj '/CN=Authority' \
             -addext basicConstraints=critical,CA:TRUE",
        );
        papers.sign("server", "subjectAltName=IP:127.0.0.1");
        for merchant in merchants {
            papers.sign(merchant, "extendedKeyUsage=clientAuth");
        }
        papers
    }

    /// The path of one of them, as in `server.pem` and `server.key`.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    fn sign(&self, name: &str, extension: &str) {
        self.run(&format!(
            "openssl req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj '/CN={name}.local' && \
             echo '{extension}' > {name}.ext && openssl x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key \
             -CAcreateserial -out {name}.pem -days 30 -extfile {name}.ext"
        ));
    }

    fn run(&self, script: &str) {
        let made = Command::new("sh").args(["-c", &format!("cd '{}' && {script}", self.folder)]).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
}
