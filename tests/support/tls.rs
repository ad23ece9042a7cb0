//! HTTP clients are built without a TLS provider of their own; the stories choose the one the client chooses.

/// Makes HTTP clients buildable in this process; doing it twice is fine.
pub fn choose_provider() {
    rustls::crypto::ring::default_provider().install_default().ok();
}
