/// Reads a struct from an object. `closed` refuses a field that is not listed, `open` lets it pass, `open(name)` keeps
/// such fields in the field `name`. A field with a value may be absent.
macro_rules! object {
    ($end:ident $(($rest:ident))? $type:ident { $($field:ident $(= $default:expr)?),* $(,)? }) => {
        impl $crate::json::Read for $type {
            fn read(value: Option<serde_json::Value>, faults: &mut $crate::json::Faults) -> Self {
                let mut fields = $crate::json::Fields::of(value, faults);
                let read = Self {
                    $($field: $crate::json::field!(fields, $field $(, $default)?),)*
                    $($rest: fields.rest(),)?
                };
                fields.$end();
                read
            }
        }

        $crate::json::deserialize!($type);
    };
}

/// Reads an enum from an object whose field `$tag` names the variant, the others being the variant's. A variant without
/// fields ignores others, `Variant(name)` carries what is read from the object without the tag.
macro_rules! variants {
    ($end:ident $type:ident by $tag:literal {
        $($variant:ident $({ $($field:ident $(= $default:expr)?),* $(,)? })? $(($whole:ident))?),* $(,)?
    } else $other:expr) => {
        impl $crate::json::Read for $type {
            fn read(value: Option<serde_json::Value>, faults: &mut $crate::json::Faults) -> Self {
                let mut fields = $crate::json::Fields::of(value, faults);
                let variant = fields.variant($tag, &[$(stringify!($variant)),*]);
                $(if variant == Some(stringify!($variant)) {
                    $crate::json::variant!($end fields $variant $({ $($field $(= $default)?),* })? $(($whole))?)
                })*
                // INVARIANT: the unknown variant is noted as a fault, so nobody sees what stands in for it.
                $other
            }
        }

        $crate::json::deserialize!($type);
    };
}

/// The words of an enum without fields, for reading and writing.
macro_rules! words {
    ($type:ident { $first:ident = $first_word:literal, $($variant:ident = $word:literal),* $(,)? }) => {
        impl $type {
            /// The word on the wire.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    Self::$first => $first_word,
                    $(Self::$variant => $word),*
                }
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl $crate::json::Read for $type {
            fn read(value: Option<serde_json::Value>, faults: &mut $crate::json::Faults) -> Self {
                let word = String::read(value, faults);
                match word.as_str() {
                    $first_word => Self::$first,
                    $($word => Self::$variant,)*
                    _ => {
                        faults.unknown_word(&word);
                        Self::$first
                    }
                }
            }
        }

        $crate::json::deserialize!($type);
    };
}

/// One field of [`object!`] or [`variants!`].
macro_rules! field {
    ($fields:ident, $field:ident) => {
        $fields.take(stringify!($field))
    };
    ($fields:ident, $field:ident, $default:expr) => {
        $fields.take_or(stringify!($field), $default)
    };
}

/// One variant of [`variants!`].
macro_rules! variant {
    ($end:ident $fields:ident $variant:ident) => {
        return Self::$variant
    };
    ($end:ident $fields:ident $variant:ident ($whole:ident)) => {{
        let $whole = $fields.whole();
        return Self::$variant($whole);
    }};
    ($end:ident $fields:ident $variant:ident { $($field:ident $(= $default:expr)?),* }) => {{
        let read = Self::$variant {
            $($field: $crate::json::field!($fields, $field $(, $default)?),)*
        };
        $fields.$end();
        return read;
    }};
}

/// Lets serde read a type as this crate does.
macro_rules! deserialize {
    ($type:ident) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::json::from($crate::json::any(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use {deserialize, field, object, variant, variants, words};
