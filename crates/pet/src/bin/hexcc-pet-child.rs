//! The child process of `hexcc_pet::extract`, alone, for tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next(), arguments.next()) {
        (Some(only), None) if only == hexcc_pet::CHILD_ARGUMENT => hexcc_pet::run_child(),
        _ => {
            eprintln!("usage: hexcc-pet-child {}", hexcc_pet::CHILD_ARGUMENT);
            ExitCode::from(2)
        }
    }
}
