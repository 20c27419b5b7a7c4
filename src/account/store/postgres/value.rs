//! Parameters and columns in PostgreSQL's binary form.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::account::store::value::Value;

impl ToSql for Value {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, of) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(number), &Type::INT4) => i32::try_from(*number)?.to_sql(of, out),
            (Value::Integer(number), &Type::INT8) => number.to_sql(of, out),
            (Value::Text(text), &Type::TEXT | &Type::VARCHAR) => text.to_sql(of, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(of, out),
            (Value::Integers(numbers), &Type::INT8_ARRAY) => numbers.to_sql(of, out),
            (value, of) => Err(format!("expected {of}, found {value:?}").into()),
        }
    }

    /// Accepts every type: which value goes where is known only in `to_sql`.
    fn accepts(_of: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl FromSql<'_> for Value {
    fn from_sql(of: &Type, raw: &[u8]) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(match *of {
            Type::INT8 => Value::Integer(i64::from_sql(of, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(of, raw)?.into()),
            Type::BOOL => Value::from(bool::from_sql(of, raw)?),
            Type::BYTEA => Value::Bytes(raw.to_vec()),
            _ => Value::Text(String::from_sql(of, raw)?),
        })
    }

    fn from_sql_null(_of: &Type) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(of: &Type) -> bool {
        let known = [Type::INT8, Type::INT4, Type::BOOL, Type::BYTEA];
        known.contains(of) || <String as FromSql>::accepts(of)
    }
}
