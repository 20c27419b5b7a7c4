#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| daicho_fuzz::matching::run(input));
