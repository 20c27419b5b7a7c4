#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| daicho_fuzz::mcp::run(input));
