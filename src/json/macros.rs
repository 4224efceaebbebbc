/// Reads a struct from an object. `closed` refuses a field that is not listed, `open` lets it pass, `open(name)` keeps
/// such fields in the field `name`. A field with a value may be absent. Writes it too, without the fields that are
/// `or nothing` and are.
macro_rules! object {
    ($end:ident $(($rest:ident))? $type:ident {
        $($field:ident $(or $nothing:ident)? $(= $default:expr)?),* $(,)?
    }) => {
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
        $crate::json::written!($type { $($field $(or $nothing)?),* } $(with $rest)?);
    };
}

/// Reads an enum from an object whose field `$tag` names the variant, the others being the variant's. A variant without
/// fields ignores others, `Variant(name)` carries what is read from the object without the tag.
macro_rules! variants {
    ($end:ident $type:ident by $tag:literal {
        $($variant:ident $({
            $($field:ident $(or $nothing:ident)? $(= $default:expr)?),* $(,)?
        })? $(($whole:ident))?),* $(,)?
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
        $crate::json::written!($type by $tag {
            $($variant $({ $($field $(or $nothing)?),* })? $(($whole))?),*
        });
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

        impl $crate::json::Write for $type {
            fn write(&self, out: &mut $crate::json::Writer) {
                self.word().write(out);
            }
        }

        impl $crate::json::Read for $type {
            fn read(value: Option<serde_json::Value>, faults: &mut $crate::json::Faults) -> Self {
                let at = faults.word(value, &[$first_word, $($word),*]);
                [Self::$first, $(Self::$variant),*].get(at).copied().unwrap_or(Self::$first)
            }
        }

        $crate::json::deserialize!($type);
        $crate::json::serialize!($type);
    };
}

/// Writes a struct as an object, or an enum as one whose field `$tag` names the variant. What is `or nothing` is left
/// out where it is; `with` a field, the fields of that object stand in this one.
macro_rules! written {
    ($type:ident $(<$life:lifetime>)? { $($field:ident $(or $nothing:ident)?),* $(,)? } $(with $flat:ident)?) => {
        impl $(<$life>)? $crate::json::Write for $type $(<$life>)? {
            fn write(&self, out: &mut $crate::json::Writer) {
                let flat = out.open();
                $($crate::json::put!(out, $field, &self.$field $(, $nothing)?);)*
                $(out.flat(&self.$flat);)?
                out.close(flat);
            }
        }

        $crate::json::serialize!($type $(<$life>)?);
    };
    ($type:ident by $tag:literal {
        $($variant:ident $({ $($field:ident $(or $nothing:ident)?),* $(,)? })? $(($whole:ident))?),* $(,)?
    }) => {
        impl $crate::json::Write for $type {
            fn write(&self, out: &mut $crate::json::Writer) {
                let flat = out.open();
                match self {
                    $(Self::$variant $({ $($field),* })? $(($whole))? => {
                        out.variant($tag, stringify!($variant));
                        $($($crate::json::put!(out, $field, $field $(, $nothing)?);)*)?
                        $(out.flat($whole);)?
                    })*
                }
                out.close(flat);
            }
        }

        $crate::json::serialize!($type);
    };
}

/// One field of [`written!`].
macro_rules! put {
    ($out:ident, $field:ident, $value:expr) => {
        $out.field(stringify!($field), $value)
    };
    ($out:ident, $field:ident, $value:expr, $nothing:ident) => {
        $out.some(stringify!($field), $value)
    };
}

/// Lets serde write a type as this crate does.
macro_rules! serialize {
    ($type:ident $(<$life:lifetime>)?) => {
        impl $(<$life>)? serde::Serialize for $type $(<$life>)? {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::json::serialize_with(self, serializer)
            }
        }
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

pub(crate) use {deserialize, field, object, put, serialize, variant, variants, words, written};
