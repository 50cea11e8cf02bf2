//! The verdict only: everything that decides or does something is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    aissh::main()
}
