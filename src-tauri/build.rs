//! Reads `tauri.conf.json`, the capabilities and the permissions of the shell's own commands into the build.

fn main() {
    const PERMISSIONS: &str = "./src-tauri/permissions";
    const CAPABILITIES: &str = "./src-tauri/capabilities";
    println!("cargo:rerun-if-changed={PERMISSIONS}");
    println!("cargo:rerun-if-changed={CAPABILITIES}");
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*")
        .app_manifest(tauri_build::AppManifest::new().permissions_path_pattern("./src-tauri/permissions/**/*"));
    if let Err(error) = tauri_build::try_build(attributes) {
        panic!("the shell's configuration: {error:#}");
    }
}
