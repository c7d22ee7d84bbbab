//! Conversion of domain types to JSON and back. The domain has no serde, so the fields of each type are listed here, once.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::text::Text;

/// A type with a JSON form.
pub(crate) trait Json: Sized {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// # Errors
    ///
    /// If the JSON is not one of a legal value.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// A reference in JSON form.
pub(crate) struct Ref<'a, T>(pub(crate) &'a T);

/// A value in JSON form.
pub(crate) struct Own<T>(pub(crate) T);

impl<T: Json> Serialize for Ref<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl<T: Json> Serialize for Own<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl<'de, T: Json> Deserialize<'de> for Own<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer).map(Self)
    }
}

/// An object with the fields of a struct; `as` gives another key than the field. With `strict`, unknown keys are
/// refused.
macro_rules! record {
    (strict $type:ident $fields:tt) => { record! { [#[serde(deny_unknown_fields)]] $type $fields } };
    ($type:ident $fields:tt) => { record! { [] $type $fields } };
    ([$($attribute:tt)*] $type:ident { $($field:ident $(as $key:literal)?),* $(,)? }) => {
        impl Json for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                #[derive(Serialize)]
                struct Fields<$($field),*> {
                    $($(#[serde(rename = $key)])? $field: $field),*
                }
                let Self { $($field),* } = self;
                Fields { $($field: Ref($field)),* }.serialize(serializer)
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                $($attribute)*
                struct Fields<$($field),*> {
                    $($(#[serde(rename = $key)])? $field: $field),*
                }
                let Fields { $($field: Own($field)),* } = Fields::deserialize(deserializer)?;
                Ok(Self { $($field),* })
            }
        }
    };
}

/// An object for each variant of an enum, with a key that names the variant. The variant is built by
/// the expression in brackets, which is also the pattern of the variant. Unknown keys are refused.
macro_rules! tagged {
    ($type:ident by $tag:literal {
        $($name:literal { $($field:ident),* } => [$($variant:tt)*]),* $(,)?
    }) => {
        impl Json for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $($($variant)* => {
                        #[derive(Serialize)]
                        struct Fields<$($field),*> {
                            #[serde(rename = $tag)]
                            tag: &'static str,
                            $($field: $field),*
                        }
                        Fields { tag: $name, $($field: Ref($field)),* }.serialize(serializer)
                    })*
                }
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut object = serde_json::Map::<String, serde_json::Value>::deserialize(deserializer)?;
                match object.remove($tag).as_ref().and_then(serde_json::Value::as_str) {
                    $(Some($name) => {
                        #[derive(Deserialize)]
                        #[serde(deny_unknown_fields)]
                        struct Fields<$($field),*> {
                            $($field: $field),*
                        }
                        let fields = Fields::deserialize(serde_json::Value::Object(object));
                        let Fields { $($field: Own($field)),* } = fields.map_err(D::Error::custom)?;
                        Ok($($variant)*)
                    })*
                    _ => Err(D::Error::custom("unknown variant")),
                }
            }
        }
    };
}

/// The JSON form of another type, which one function makes and one reads; `None` is an error.
macro_rules! via {
    ($type:ty as $form:ty: $to:expr, $from:expr) => {
        impl Json for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let to: fn(&Self) -> $form = $to;
                to(self).write(serializer)
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let from: fn($form) -> Option<Self> = $from;
                from(<$form>::read(deserializer)?).ok_or_else(|| D::Error::custom("illegal value"))
            }
        }
    };
}

/// Names of the variants of an enum.
macro_rules! names {
    ($type:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        impl Json for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(match self { $(Self::$variant => $name),* })
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match &*<std::borrow::Cow<'de, str>>::deserialize(deserializer)? {
                    $($name => Ok(Self::$variant),)*
                    _ => Err(D::Error::custom("unknown name")),
                }
            }
        }
    };
}

/// Types with a form of serde's own.
macro_rules! native {
    ($($type:ty),*) => { $(
        impl Json for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize(serializer)
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::deserialize(deserializer)
            }
        }
    )* };
}

pub(crate) use {names, record, tagged, via};

native!(bool, u8, u16, u32, u64, i64, String, NaiveDate);
via!(DateTime<Utc> as i64: Self::timestamp_millis, Self::from_timestamp_millis);
via!(TimeDelta as i64: Self::num_milliseconds, |millis| Some(Self::milliseconds(millis)));
via!([u8; 32] as String: |digest| digest.map(|byte| format!("{byte:02x}")).concat(), |text| read_hex(&text));

fn read_hex(text: &str) -> Option<[u8; 32]> {
    let bytes = (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok());
    bytes.collect::<Option<Vec<_>>>()?.try_into().ok()
}

impl<T: Text> Json for T {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_text())
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        Self::from_text(&text).ok_or_else(|| D::Error::custom("illegal text"))
    }
}

impl<T: Json> Json for Option<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Ref).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<Own<T>>::deserialize(deserializer)?.map(|Own(value)| value))
    }
}

impl<T: Json> Json for Vec<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Ref))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Own<T>>::deserialize(deserializer)?.into_iter().map(|Own(value)| value).collect())
    }
}

impl<A: Json, B: Json> Json for (A, B) {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (Ref(&self.0), Ref(&self.1)).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (Own(one), Own(other)) = <(Own<A>, Own<B>)>::deserialize(deserializer)?;
        Ok((one, other))
    }
}
