//! Writes the seeds of every target into folders that libFuzzer begins with: `seeds FOLDER`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        return Err(std::io::Error::other(
            "expected the folder for the seeds as the argument; found none",
        ));
    };
    for target in daicho_fuzz::TARGETS {
        let folder = Path::new(&folder).join(target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().into_iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number:04}")), seed)?;
        }
    }
    Ok(())
}
