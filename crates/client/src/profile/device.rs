//! What this computer calls itself, so that a person recognises it in a list of sessions.

/// The computer's name, or `computer` where it has none.
pub fn device_name() -> String {
    let from_file = std::fs::read_to_string("/etc/hostname").ok();
    let from_environment = || ["HOSTNAME", "COMPUTERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let name = from_file.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).or_else(from_environment);
    let name: String = name.unwrap_or_default().chars().filter(|letter| !letter.is_control()).take(60).collect();
    if name.is_empty() { "computer".to_owned() } else { name }
}
