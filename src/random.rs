//! Random bytes from the system, for keys, secrets, salts and ids. On the threads of a simulation (tests/simulation) they
//! come from its seed.

pub use getrandom::Error;

#[cfg(test)]
use crate::simulated;

pub fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    #[cfg(test)]
    if let Some(world) = simulated::world() {
        world.fill(bytes);
        return Ok(());
    }
    getrandom::fill(bytes)
}

pub fn bytes<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

pub fn u32() -> Result<u32, Error> {
    bytes().map(u32::from_ne_bytes)
}

pub fn u64() -> Result<u64, Error> {
    bytes().map(u64::from_ne_bytes)
}
