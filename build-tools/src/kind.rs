//! The kinds of source files: their names, and the option of `daicho build` for each.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, derive_more::Display)]
pub enum Kind {
    /// KEN_ALL or utf_ken_all.
    #[display("postal codes by area (KEN_ALL.CSV or utf_ken_all.csv, 15 columns)")]
    Area,
    #[display("business postal codes (JIGYOSYO.CSV, 13 columns)")]
    Business,
    #[display("postal codes in Roman letters (KEN_ALL_ROME.CSV, 7 columns)")]
    Roman,
    #[display("the address base registry's town master (mt_town_all.csv, with a header line)")]
    Addressing,
    #[display("coordinates of towns (Geolonia's latest.csv, with a header line)")]
    Towns,
    /// A monthly difference of [`Kind::Area`] or [`Kind::Business`].
    #[display(
        "a monthly difference (ADD, DEL, utf_add, utf_del with 15 columns; \
         JADD, JDEL with 13 columns)"
    )]
    Update,
    #[display("the bank directory (banks.json with its folder branches, or ginkositen.txt)")]
    Bank,
    /// All corporations of the country or a prefecture.
    #[display(
        "all corporations of the country or a prefecture (NN_name_all_YYYYMMDD.csv, \
         23 to 30 columns)"
    )]
    CorporateFull,
    /// Corporations: what was published on one day.
    #[display("corporations published on one day (diff_YYYYMMDD.csv, 23 to 30 columns)")]
    CorporateDifference,
    /// Qualified invoice issuers as input of `daicho build corporate`: whole, or a difference.
    #[display("qualified invoice issuers (h_all_YYYYMMDD_NNN.csv, 24 columns)")]
    InvoiceRegister,
    /// All qualified invoice issuers of one class of holders.
    #[display(
        "all qualified invoice issuers of one sort (h_all_YYYYMMDD_NNN.csv, \
         j_all_YYYYMMDD.csv or k_all_YYYYMMDD_NNN.csv, 24 columns)"
    )]
    InvoiceFull,
    /// Qualified invoice issuers: what was published on one day.
    #[display("qualified invoice issuers published on one day (diff_YYYYMMDD.csv, 24 columns)")]
    InvoiceDifference,
    /// The ministry's list of school codes of some prefectures, or of universities.
    #[display("a list of school codes (YYYYMMDD-mxt_chousa01-….csv, 12 columns below a header)")]
    School,
}

const PACKING_SUFFIXES: [&str; 6] = [".xz", ".gz", ".zst", ".zip", ".tar", ".tgz"];

impl Kind {
    /// Its dataset, and the option of `daicho build` that accepts it.
    fn dataset_and_option(self) -> (&'static str, &'static str) {
        match self {
            Kind::Area => ("postal", "--area"),
            Kind::Business => ("postal", "--business"),
            Kind::Roman => ("postal", "--roman"),
            Kind::Addressing => ("postal", "--addressing"),
            Kind::Towns => ("postal", "--towns"),
            Kind::Update => ("postal", "--updates"),
            Kind::Bank => ("bank", "--source"),
            Kind::CorporateFull => ("corporate", "--full"),
            Kind::CorporateDifference => ("corporate", "--diff"),
            Kind::InvoiceRegister => ("corporate", "--invoice"),
            Kind::InvoiceFull => ("invoice", "--full"),
            Kind::InvoiceDifference => ("invoice", "--diff"),
            Kind::School => ("school", "--source"),
        }
    }

    /// The option that accepts such a file, with its command if `expected` belongs to another dataset.
    pub fn option(self, expected: Kind) -> String {
        match self.dataset_and_option() {
            (dataset, option) if dataset == expected.dataset_and_option().0 => option.to_owned(),
            (dataset, option) => format!("daicho build {dataset} {option}"),
        }
    }

    /// Whether a file of this kind is published under such a name, packed or not, in either letter case.
    pub fn matches_name(self, file_name: &str) -> bool {
        let name = file_name.to_ascii_lowercase();
        let mut name = name.as_str();
        while let Some(rest) = PACKING_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix))
        {
            name = rest;
        }
        if self == Kind::Bank {
            return is_bank_file(name);
        }
        // The tax agency's zips are not named after the .csv inside them.
        let is_of_tax_agency = ["corporate", "invoice"].contains(&self.dataset_and_option().0);
        let is_zipped = is_of_tax_agency && name.len() < file_name.len();
        let stem = name.strip_suffix(".csv").or(is_zipped.then_some(name));
        let Some(stem) = stem else { return false };
        match self {
            Kind::Bank => false,
            // utf_all.csv was the UTF-8 file's first name, in 2023.
            Kind::Area => {
                ["ken_all", "utf_ken_all", "utf_all"].contains(&stem) || is_prefecture_slice(stem)
            }
            Kind::Business => stem == "jigyosyo",
            Kind::Roman => stem == "ken_all_rome",
            Kind::Addressing => {
                stem == "mt_town_all"
                    || is_numbered(stem, "mt_town_pref")
                    || is_numbered(stem, "mt_town_city")
            }
            // The publisher calls its file latest.csv.
            Kind::Towns => ["towns", "latest"].contains(&stem),
            Kind::Update => ["add_", "del_", "utf_add_", "utf_del_", "jadd", "jdel"]
                .iter()
                .any(|prefix| is_numbered(stem, prefix)),
            Kind::CorporateFull => is_corporate_full(stem),
            Kind::CorporateDifference => is_numbered(stem, "diff_"),
            Kind::InvoiceRegister => {
                Kind::InvoiceFull.matches_name(file_name)
                    || Kind::InvoiceDifference.matches_name(file_name)
            }
            Kind::InvoiceFull => is_invoice_full(stem),
            Kind::School => stem.contains("mxt_chousa01"),
            Kind::InvoiceDifference => {
                stem.strip_prefix("diff_").is_some_and(|rest| rest.split('_').all(is_number_or_csv))
            }
        }
    }
}

/// `13tokyo`, `01hokkai`: one prefecture of KEN_ALL, as also published by Japan Post.
fn is_prefecture_slice(stem: &str) -> bool {
    let (digits, letters) = stem.as_bytes().split_at(stem.len().min(2));
    digits.len() == 2
        && digits.iter().all(u8::is_ascii_digit)
        && !letters.is_empty()
        && letters.iter().all(u8::is_ascii_lowercase)
}

/// `banks.json`, `0001.json`, `ginkositen.txt`, `ginkositen1.txt`.
fn is_bank_file(name: &str) -> bool {
    let is_digits = |stem: &str| stem.bytes().all(|byte| byte.is_ascii_digit());
    let is_in_tree = name
        .strip_suffix(".json")
        .is_some_and(|stem| stem == "banks" || (stem.len() == 4 && is_digits(stem)));
    let list = name.strip_prefix("ginkositen").and_then(|rest| rest.strip_suffix(".txt"));
    is_in_tree || list.is_some_and(is_digits)
}

/// `31_tottori_all_20260731`, `13_tokyo_all_20260331_01`.
fn is_corporate_full(stem: &str) -> bool {
    let Some((prefecture, date)) = stem.split_once("_all_") else { return false };
    let has_prefecture = prefecture
        .split_once('_')
        .is_some_and(|(code, name)| code.len() == 2 && is_number(code) && !name.is_empty());
    has_prefecture && date.split('_').all(is_number)
}

/// `h_all_20260731_001`, and for archives `j_all_20260731_csv`: corporations, associations, individuals.
fn is_invoice_full(stem: &str) -> bool {
    let rest = ["h_all_", "j_all_", "k_all_"].iter().find_map(|prefix| stem.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.split('_').all(is_number_or_csv))
}

fn is_number_or_csv(text: &str) -> bool {
    text == "csv" || is_number(text)
}

/// The prefix and then only digits, as in `utf_add_2605`.
fn is_numbered(stem: &str, prefix: &str) -> bool {
    stem.strip_prefix(prefix).is_some_and(is_number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn official_names_match_their_kinds() {
        #[track_caller]
        fn check(name: &str, expected: impl IntoIterator<Item = Kind>) {
            let kinds = [
                Kind::Area,
                Kind::Business,
                Kind::Roman,
                Kind::Addressing,
                Kind::Towns,
                Kind::Update,
                Kind::Bank,
                Kind::CorporateFull,
                Kind::CorporateDifference,
                Kind::InvoiceRegister,
                Kind::InvoiceFull,
                Kind::InvoiceDifference,
                Kind::School,
            ];
            let found: Vec<Kind> =
                kinds.into_iter().filter(|kind| kind.matches_name(name)).collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{name}");
        }
        check("KEN_ALL.CSV", Some(Kind::Area));
        check("ken_all.csv", Some(Kind::Area));
        check("utf_ken_all.csv", Some(Kind::Area));
        check("utf_ken_all.csv.xz", Some(Kind::Area));
        check("KEN_ALL.CSV.tar.gz", Some(Kind::Area));
        check("utf_all.csv", Some(Kind::Area));
        check("13TOKYO.CSV", Some(Kind::Area));
        check("JIGYOSYO.CSV", Some(Kind::Business));
        check("KEN_ALL_ROME.CSV", Some(Kind::Roman));
        check("mt_town_all.csv", Some(Kind::Addressing));
        check("mt_town_pref13.csv.zip", Some(Kind::Addressing));
        check("mt_town_pos_pref13.csv", None);
        check("towns.csv.xz", Some(Kind::Towns));
        check("latest.csv", Some(Kind::Towns));
        check("latest_towns.csv", None);
        check("ADD_1811.CSV", Some(Kind::Update));
        check("utf_del_2605.csv", Some(Kind::Update));
        check("JADD1811.CSV", Some(Kind::Update));
        check("jdel2606.csv", Some(Kind::Update));
        check("31_tottori_all_20260731.csv", Some(Kind::CorporateFull));
        check("13_tokyo_all_20260331_01.csv.zst", Some(Kind::CorporateFull));
        check("00_zenkoku_all_20260731_01.csv.zip", Some(Kind::CorporateFull));
        check("31_tottori_all_20260731.csv.asc", None);
        let difference =
            [Kind::CorporateDifference, Kind::InvoiceRegister, Kind::InvoiceDifference];
        check("diff_20260803.csv", difference);
        check("diff_20260803.csv.asc", None);
        check("diff_20260803.zip", difference);
        check("diff_20260910_csv.zip", [Kind::InvoiceRegister, Kind::InvoiceDifference]);
        check("00_zenkoku_all_20260731.zip", Some(Kind::CorporateFull));
        check("diff_20260803", None);
        let issuers = [Kind::InvoiceRegister, Kind::InvoiceFull];
        check("h_all_20260731_001.csv", issuers);
        check("h_all_20260731.zip", issuers);
        check("h_all_20260831_csv_001.zip", issuers);
        check("j_all_20260831_csv.zip", issuers);
        check("k_all_20260831_csv_001.zip", issuers);
        check("j_all_20260731_001.csv", issuers);
        check("h_all_20260731_001.csv.asc", None);
        check("h_all_sample.csv", None);
        check("20260825-mxt_chousa01-000011635_2-1.csv", Some(Kind::School));
        check("20251226-mxt_chousa01-000011635_6.csv.xz", Some(Kind::School));
        check("20251226-mxt_chousa01-000011635_1.xlsx", None);
        check("JDEL.CSV", None);
        check("banks.json", Some(Kind::Bank));
        check("0001.json", Some(Kind::Bank));
        check("001.json", None);
        check("banks.yml", None);
        check("ginkositen.txt", Some(Kind::Bank));
        check("GINKOSITEN1.TXT.zst", Some(Kind::Bank));
        check("._KEN_ALL.CSV", None);
        check("KEN_ALL.TXT", None);
        check(".csv", None);
        check("13.csv", None);
        check("", None);
        check("台帳.csv", None);
    }
}
