use serde_json::Value;

use crate::call::ToolCall;
use crate::grant::Scope;
use crate::payload::Suggestion;

/// The argument names whose text says what a call reaches: with one of them "every call of the tool" would say too much.
const SUBJECTS: [&str; 6] = ["command", "url", "file_path", "path", "pattern", "patch_text"];

/// What may be remembered with an approval of this call: the whole tool, or exactly this call where it has a subject.
pub(super) fn suggest(call: &ToolCall, digest: &str) -> Suggestion {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    // In whatever form: a command that is a list or empty today may be another one tomorrow.
    let has_subject = SUBJECTS.iter().any(|name| arguments.get(name).is_some());
    let (text, arguments_digest) = if has_subject {
        (
            format!("exactly this call of `{}`", call.tool_name),
            Some(digest.to_owned()),
        )
    } else {
        (format!("every call of `{}`", call.tool_name), None)
    };
    Suggestion {
        content: String::new(),
        arguments_digest,
        text,
        scope_hint: Scope::Session,
    }
}
