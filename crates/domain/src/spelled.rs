/// Declares an enum with the spelling of each value in the API and in storage: `ALL`, `as_str`, and `from_code`, which is
/// the inverse of `as_str`.
macro_rules! spelled {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        pub enum $name {
            $(
                $(#[$doc])*
                #[doc = ""]
                #[doc = concat!("Spelled `", $text, "`.")]
                $value,
            )+
        }

        impl $name {
            /// Every value, in published order.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$value),+];

            /// Returns the spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $text,)+ }
            }

            /// Returns the value that is spelled as `text`.
            pub fn from_code(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.as_str() == text)
            }
        }
    };
}
