//! The name by which programs find the shared library when they start: that of its interface, 1.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let argument = match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos" | "ios") => "-Wl,-install_name,@rpath/libflitwise.1.dylib",
        Ok("windows") | Err(_) => return,
        Ok(_) => "-Wl,-soname,libflitwise.so.1",
    };
    println!("cargo::rustc-cdylib-link-arg={argument}");
}
