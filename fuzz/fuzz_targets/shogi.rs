#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| obook_fuzz::check("shogi", bytes));
