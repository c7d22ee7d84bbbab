//! Enums with published names.

/// Declares an enum of values with published names.
macro_rules! spelled {
    ($(#[$meta:meta])* $visibility:vis $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $code:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $visibility enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $name {
            /// Every value, in published order.
            $visibility const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];

            /// The published name.
            $visibility const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// Parses the published name.
            $visibility fn from_code(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.as_str() == text)
            }
        }
    };
}

pub(crate) use spelled;
