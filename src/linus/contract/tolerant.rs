//! Reading fields that may be of another type than they should be: what is optional must not cost what is not.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What is of another type is as good as absent.
pub(super) fn or_default<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// Of a list the members that can be read; what is no list is an empty one.
pub(super) fn readable<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: DeserializeOwned,
{
    let members: Vec<Value> = or_default(deserializer)?;
    Ok(members.into_iter().filter_map(|member| serde_json::from_value(member).ok()).collect())
}
