use aws_lc_rs::rand;
use domain::Symbols;
use ports::Ids;

/// Names and secrets from the system's randomness.
pub(crate) struct RandomIds;

impl Ids for RandomIds {
    fn generate(&self) -> Symbols {
        symbols::<26>()
    }

    fn secret(&self) -> Symbols {
        symbols::<52>()
    }
}

/// Five random bits a symbol.
fn symbols<const N: usize>() -> Symbols {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).expect("the system gives random bytes");
    let text: String = bytes.iter().map(|byte| char::from(Symbols::ALPHABET[usize::from(byte & 31)])).collect();
    Symbols::parse(&text).expect("26 or 52 symbols of the alphabet are symbols")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_26_symbols_and_a_secret_52_and_none_comes_twice() {
        let (name, secret) = (RandomIds.generate(), RandomIds.secret());

        assert_eq!((name.as_str().len(), secret.as_str().len()), (26, 52));
        assert_ne!(name, RandomIds.generate());
        assert_ne!(secret, RandomIds.secret());
    }
}
