//! Generates the libpet bindings from `pet_api.h`.
//!
//! The bindings are a struct of function pointers that is filled at run time, so
//! neither this build nor the finished program links libpet; only libclang is
//! needed, and only here.

use std::{env, panic, path::PathBuf, process};

const NO_LIBCLANG: &str = "\
hexcc-pet: could not generate the bindings to libpet.

bindgen needs libclang. Install it (Debian, Ubuntu: apt install libclang-dev;
Fedora: dnf install clang-devel; Arch: pacman -S clang), or set LIBCLANG_PATH to
the directory that holds libclang.so.

bindgen said: ";

fn main() {
    println!("cargo:rerun-if-changed=pet_api.h");
    println!("cargo:rerun-if-changed=build.rs");

    // bindgen panics when libclang is missing; the hook keeps its backtrace away
    // from the message that tells what to install.
    panic::set_hook(Box::new(|_| {}));
    let generated = panic::catch_unwind(|| {
        bindgen::Builder::default()
            .header("pet_api.h")
            .allowlist_function("(isl|pet)_.*")
            .allowlist_type("pet_(scop|stmt|array|expr_type|tree_type)")
            .default_enum_style(bindgen::EnumVariation::ModuleConsts)
            .dynamic_library_name("PetLib")
            .dynamic_link_require_all(true)
            .layout_tests(true)
            .generate_comments(false)
            .formatter(bindgen::Formatter::None)
            .generate()
    });
    drop(panic::take_hook());

    let bindings = match generated {
        Ok(Ok(bindings)) => bindings,
        Ok(Err(error)) => fail(&error.to_string()),
        Err(payload) => fail(
            payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("no reason"),
        ),
    };
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        fail("OUT_DIR is not set; this program is run by cargo");
    };
    if let Err(error) = bindings.write_to_file(out.join("pet_api.rs")) {
        fail(&format!("{}: {error}", out.display()));
    }
}

fn fail(reason: &str) -> ! {
    eprintln!("{NO_LIBCLANG}{reason}");
    process::exit(1);
}
