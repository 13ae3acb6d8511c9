//! Words for a panel.

use super::Setting;

/// What is above a panel: `flits = 64`.
pub(super) fn setting(setting: &Setting) -> String {
    format!("{} = {}", words(last_part(&setting.key)), setting.value)
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}
