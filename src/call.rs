//! A tool call and its digest.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::arguments::Arguments;
use crate::error::Error;
use crate::json;

/// One tool call, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The session (AG-UI: thread) it belongs to.
    pub session_id: String,
    /// The model's id for this call.
    pub tool_call_id: String,
    /// The tool's name, without its server.
    pub tool_name: String,
    /// The MCP server the tool comes from; never folded into the name.
    pub server: Option<String>,
    /// The arguments: JSON text, exactly as the model wrote it.
    pub arguments: String,
}

json::object!(closed ToolCall {
    session_id,
    tool_call_id,
    tool_name,
    server or nothing,
    arguments,
});

/// Lower-case hex SHA-256 of the RFC 8785 form of `["ack.call.1", server or "", toolName, arguments]`.
///
/// # Errors
/// `internal` when the arguments can't be written in canonical form, which checked arguments always can.
pub fn digest(server: Option<&str>, tool_name: &str, arguments: &Arguments) -> Result<String, Error> {
    let parts = vec![
        "ack.call.1".into(),
        server.unwrap_or("").into(),
        tool_name.into(),
        arguments.value().clone(),
    ];
    let canonical = json::canonical(&Value::Array(parts))
        .map_err(|error| Error::Internal(format!("the call can't be written in canonical form: {error}")))?;
    Ok(Sha256::digest(canonical)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
