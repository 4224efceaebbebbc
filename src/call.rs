//! A tool call and its digest.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::arguments::Arguments;
use crate::error::Error;

/// One tool call, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolCall {
    /// The session (AG-UI: thread) it belongs to.
    pub session_id: String,
    /// The model's id for this call.
    pub tool_call_id: String,
    /// The tool's name, without its server.
    pub tool_name: String,
    /// The MCP server the tool comes from; never folded into the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The arguments: JSON text, exactly as the model wrote it.
    pub arguments: String,
}

/// Lower-case hex SHA-256 of the RFC 8785 form of `["ack.call.1", server or "", toolName, arguments]`.
///
/// # Errors
/// `internal` when the arguments can't be written in canonical form, which checked arguments always can.
pub fn digest(server: Option<&str>, tool_name: &str, arguments: &Arguments) -> Result<String, Error> {
    let parts = ("ack.call.1", server.unwrap_or(""), tool_name, arguments.value());
    let canonical = serde_json_canonicalizer::to_vec(&parts)
        .map_err(|error| Error::Internal(format!("the call can't be written in canonical form: {error}")))?;
    Ok(Sha256::digest(canonical)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
