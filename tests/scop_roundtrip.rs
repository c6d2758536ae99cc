//! A saved scop is as good as the C file it was made from.

mod common;

use common::{hexcc, programs, succeed};

#[test]
fn saved_scop_translates_to_the_same_text() {
    let folder =
        tempfile::tempdir_in(common::scratch("scop")).expect("the build directory can be written");
    let mut n = 0;
    for program in programs() {
        if !["jacobi2d", "fdtd2d", "life", "mathcalls1d", "twofunctions"]
            .contains(&program.name.as_str())
        {
            continue;
        }
        n += 1;
        let saved = folder.path().join(format!("{}.scop.json", program.name));
        let mut save = hexcc();
        save.arg(&program.path)
            .args(&program.flags)
            .args(["--emit", "scop", "-o"])
            .arg(&saved);
        assert_eq!(succeed(&mut save).as_deref(), Ok(""), "{}", program.name);
        for emit in ["cuda", "kernel", "reference", "scop"] {
            let from_c = succeed(
                hexcc()
                    .arg(&program.path)
                    .args(&program.flags)
                    .args(["--emit", emit]),
            );
            // No libpet is needed for a saved scop.
            let mut again = hexcc();
            again
                .arg(&saved)
                .args(["--emit", emit])
                .env("HEXCC_PET_LIB", "/nowhere/libpet.so");
            let from_json = succeed(&mut again);
            assert!(from_c.is_ok(), "{}: {from_c:?}", program.name);
            assert_eq!(from_c, from_json, "{} --emit {emit}", program.name);
        }
    }
    assert!(
        n == 5 || std::env::var_os("HEXCC_E2E").is_some(),
        "{n} programs found"
    );
}
