//! Strict JSON: RFC 7493 (I-JSON) and our nesting limit, checked before anything is hashed or stored.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// How deep values may nest.
const DEPTH_MAX: u32 = 64;
/// The largest integer that every JSON reader keeps exact: 2^53 − 1.
const INTEGER_MAX: u64 = (1 << 53) - 1;

/// Reads `bytes` as one I-JSON value.
///
/// # Errors
/// For anything that is not JSON, doubled member names, integers beyond ±(2^53 − 1), lone surrogates, and
/// nesting deeper than 64; the message says which, for a person.
pub fn read_strict(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { depth: 0 }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Strict {
    depth: u32,
}

impl Strict {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth + 1;
        if depth > DEPTH_MAX { Err(E::custom("nested deeper than 64")) } else { Ok(Self { depth }) }
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<Value, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        if value > INTEGER_MAX { Err(E::custom("integer beyond 2^53-1")) } else { Ok(Value::from(value)) }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        if value.unsigned_abs() > INTEGER_MAX {
            Err(E::custom("integer beyond 2^53-1"))
        } else {
            Ok(Value::from(value))
        }
    }

    // An integer too long for 64 bits arrives here as a float; one whose exact value is lost is no I-JSON either.
    #[expect(clippy::cast_precision_loss, reason = "2^53-1 is exact in a double")]
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        if value.fract() == 0.0 && value.abs() > INTEGER_MAX as f64 {
            return Err(E::custom("integer beyond 2^53-1"));
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number is not finite"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(inner)?;
            if map.contains_key(&name) {
                return Err(A::Error::custom(format_args!("doubled member {name:?}")));
            }
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_i_json_is_refused() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        for bad in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"b":1,"b":1}}"#,
            "9007199254740992",
            "-9007199254740992",
            "123456789012345678901234567890",
            r#""\ud800""#,
            "1e999",
            "{} {}",
            "",
            "NaN",
            &deep(65),
        ] {
            assert!(read_strict(bad.as_bytes()).is_err(), "{bad}");
        }
        for good in ["9007199254740991", "-9007199254740991", r#""\ud83d\ude00""#, "1.5", &deep(64)] {
            assert!(read_strict(good.as_bytes()).is_ok(), "{good}");
        }
        assert!(read_strict(b"\"\xff\"").is_err());
    }

    /// The payload hash is over shortest forms; a number read one bit off would hash differently than it was sent.
    #[test]
    fn a_number_is_read_to_the_last_bit() {
        for text in ["33.792", "51.24817837550540", "121.48791951161945", "-118.19700000000002"] {
            let number: f64 = text.parse().unwrap();
            assert_eq!(read_strict(text.as_bytes()).unwrap().as_f64(), Some(number), "{text}");
        }
    }
}
