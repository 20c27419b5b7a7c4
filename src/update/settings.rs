//! The addresses of the official files and the request settings of the sites, as data: if a site moves, no new
//! program version is needed. The built-in settings are `sources.toml`; a file of the same format overrides
//! single lines.

use std::time::Duration;
use std::{collections::BTreeMap, fs, path::Path};

use toml::{Table, Value};
use url::Url;

use super::address::{Address, Site};
use super::error::{Result, UpdateError};

/// The built-in settings, as printed by `--print-sources`.
pub const BUILT_IN: &str = include_str!("sources.toml");

const LIMITS_SECTION: &str = "manners";

#[derive(Debug, Clone)]
pub struct Settings {
    pub limits: RequestLimits,
    sites: BTreeMap<Site, SiteSettings>,
}

/// Limits of the requests to a site: they bound the load on the site and the duration of an update. The section of the
/// file has the name that it was released with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestLimits {
    /// Pause between two requests to one host.
    pub pause: Duration,
    /// Attempts per request, at least one.
    pub attempts: u32,
    /// Wait before the second attempt; doubles before each later one.
    pub retry_delay: Duration,
    pub connect_timeout: Duration,
    /// Time limit until a response begins.
    pub response_timeout: Duration,
    /// Maximum time without a byte during a download.
    pub silence_timeout: Duration,
    /// Time limit of a page or a short text, over all attempts.
    pub page_timeout: Duration,
    /// Time limit of a file, over all attempts of one update. The next update continues it.
    pub download_timeout: Duration,
}

#[derive(Debug, Clone)]
struct SiteSettings {
    origin: Url,
    /// Whether the operator gave the origin: it then replaces the origin of every address, and may be plain HTTP.
    is_overridden: bool,
    addresses: BTreeMap<String, String>,
}

impl Settings {
    pub fn built_in() -> Settings {
        let table = BUILT_IN.parse::<Table>().expect("a test reads the built-in settings");
        Settings::from_table(&table).expect("a test reads the built-in settings")
    }

    pub fn read(&mut self, path: &Path) -> Result<()> {
        let text = fs::read_to_string(path).map_err(|cause| UpdateError::io(path, cause))?;
        self.override_with(&path.display().to_string(), &text)
    }

    /// Overrides the settings that the text contains. `name` is the file, for errors.
    pub fn override_with(&mut self, name: &str, text: &str) -> Result<()> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            let found = error.to_string().replace('\n', " ");
            invalid(name, "a TOML file in the format of --print-sources", found)
        })?;
        for (section, values) in &table {
            let Value::Table(values) = values else {
                return Err(invalid(
                    name,
                    "sections such as [japanpost]",
                    format!("{section} = …"),
                ));
            };
            if section == LIMITS_SECTION {
                self.limits.set(name, values)?;
                continue;
            }
            let site = Site::parse(section)
                .ok_or_else(|| invalid(name, format!("one of {}", Site::names()), section))?;
            let known = self.sites.get_mut(&site).expect("every site has settings");
            for (key, value) in values {
                known.set(name, section, key, value)?;
            }
        }
        Ok(())
    }

    /// Replaces the origin of all addresses of a site: `--site NAME=ORIGIN`.
    pub fn set_origin(&mut self, site: Site, origin: Url) {
        let known = self.sites.get_mut(&site).expect("every site has settings");
        known.origin = origin;
        known.is_overridden = true;
    }

    pub fn origin(&self, site: Site) -> &Url {
        &self.sites[&site].origin
    }

    /// The address with this name; `None` if the settings lack it, which a test excludes.
    pub fn find(&self, site: Site, key: &str) -> Option<Address> {
        let site = &self.sites[&site];
        let path = site.addresses.get(key)?;
        let path_or_url = match site.is_overridden {
            true => Url::parse(path).ok().map_or_else(|| path.clone(), |url| url.path().to_owned()),
            false => path.clone(),
        };
        let base_path = site.origin.path().trim_end_matches('/');
        let url = match Url::parse(&path_or_url) {
            Ok(url) => url,
            Err(_) => site.origin.join(&format!("{base_path}{path_or_url}")).ok()?,
        };
        Some(Address::new(url, site.is_overridden))
    }

    fn from_table(table: &Table) -> Option<Settings> {
        let mut sites = BTreeMap::new();
        for site in Site::ALL {
            let mut values = table.get(site.name())?.as_table()?.clone();
            let origin = Url::parse(values.remove("origin")?.as_str()?).ok()?;
            let text = |(key, value): (String, Value)| Some((key, value.as_str()?.to_owned()));
            let addresses = values.into_iter().map(text).collect::<Option<_>>()?;
            sites.insert(site, SiteSettings { origin, is_overridden: false, addresses });
        }
        let mut limits = RequestLimits::default();
        limits.set(LIMITS_SECTION, table.get(LIMITS_SECTION)?.as_table()?).ok()?;
        Some(Settings { limits, sites })
    }
}

impl SiteSettings {
    fn set(&mut self, name: &str, section: &str, key: &str, value: &Value) -> Result<()> {
        let place = format!("{section}.{key}");
        let Some(text) = value.as_str() else {
            return Err(invalid(name, format!("a text as {place}"), value.type_str()));
        };
        if key == "origin" {
            self.origin = parse_origin(text).ok_or_else(|| {
                invalid(name, format!("an https:// or http:// origin as {place}"), text)
            })?;
            self.is_overridden = true;
            return Ok(());
        }
        if !self.addresses.contains_key(key) {
            let known: Vec<&str> = self.addresses.keys().map(String::as_str).collect();
            return Err(invalid(
                name,
                format!("origin or {} in [{section}]", known.join(", ")),
                key,
            ));
        }
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "https" | "http"));
        if !text.starts_with('/') && url.is_none() {
            return Err(invalid(name, format!("a path that begins with / as {place}"), text));
        }
        self.addresses.insert(key.to_owned(), text.to_owned());
        Ok(())
    }
}

impl RequestLimits {
    /// Sets the limits of the section. `name` is the file, for errors.
    fn set(&mut self, name: &str, values: &Table) -> Result<()> {
        for (key, value) in values {
            let number = value.as_integer().and_then(|number| u32::try_from(number).ok());
            let number = number.ok_or_else(|| {
                invalid(name, format!("a whole number as {LIMITS_SECTION}.{key}"), value.type_str())
            })?;
            let (ms, seconds) =
                (Duration::from_millis(number.into()), Duration::from_secs(number.into()));
            match key.as_str() {
                "pause-ms" => self.pause = ms,
                "retry-ms" => self.retry_delay = ms,
                "attempts" => self.attempts = number.clamp(1, ATTEMPTS_MAX),
                "connect-seconds" => self.connect_timeout = seconds,
                "answer-seconds" => self.response_timeout = seconds,
                "silence-seconds" => self.silence_timeout = seconds,
                "page-seconds" => self.page_timeout = seconds,
                "download-seconds" => self.download_timeout = seconds,
                _ => {
                    return Err(invalid(
                        name,
                        "the names of [manners] in --print-sources",
                        format!("{LIMITS_SECTION}.{key}"),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A site that failed this often does not recover within one update.
const ATTEMPTS_MAX: u32 = 20;

/// Parses the origin of a site or of a mirror, which may include a path.
pub fn parse_origin(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let web = matches!(url.scheme(), "https" | "http") && url.has_host();
    (web && url.query().is_none() && url.fragment().is_none()).then_some(url)
}

fn invalid(name: &str, expected: impl Into<String>, found: impl ToString) -> UpdateError {
    UpdateError::Settings {
        name: name.to_owned(),
        expected: expected.into(),
        found: found.to_string(),
        remedy: "compare it with the output of --print-sources",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_settings_are_complete() {
        let settings = Settings::built_in();
        let page = settings.find(Site::Japanpost, "area-page").expect("an address");
        assert_eq!(
            page.to_string(),
            "https://www.post.japanpost.jp/service/search/zipcode/download/utf-zip.html"
        );
        assert_eq!(settings.find(Site::Japanpost, "nothing"), None);
        assert_eq!(settings.limits.pause, Duration::from_secs(1));
        assert_eq!(settings.limits.silence_timeout, Duration::from_secs(60));
    }

    #[test]
    fn a_file_replaces_single_settings() {
        let mut settings = Settings::built_in();
        let text = "[japanpost]\narea-page = \"/moved/utf.html\"\n[manners]\npause-ms = 0\n";
        settings.override_with("f", text).expect("known names");
        let found = |key| settings.find(Site::Japanpost, key).expect("an address").to_string();
        assert_eq!(found("area-page"), "https://www.post.japanpost.jp/moved/utf.html");
        assert!(found("office-page").ends_with("office/index-zip.html"));
        assert_eq!(settings.limits.pause, Duration::ZERO);
        for (text, expected) in [
            ("japanpost = 3", "expected sections such as [japanpost]"),
            ("[post]\norigin = \"https://a\"", "japanpost, nta, invoice, zengin, abr, cao, mext"),
            ("[japanpost]\npage = \"/a\"", "origin or area-page, office-page, roman-page"),
            ("[japanpost]\narea-page = 3", "a text as japanpost.area-page"),
            ("[japanpost]\narea-page = \"a.html\"", "a path that begins with /"),
            (
                "[japanpost]\norigin = \"ftp://a\"",
                "an https:// or http:// origin as japanpost.origin",
            ),
            ("[manners]\npause-ms = -1", "a whole number as manners.pause-ms"),
            ("[manners]\npause = 1", "the names of [manners]"),
            ("[japanpost", "a TOML file"),
        ] {
            let message = settings.override_with("f", text).expect_err(text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn a_set_origin_applies_to_every_address_of_the_site() {
        let mut settings = Settings::built_in();
        settings.set_origin(Site::Zengin, Url::parse("http://127.0.0.1:8/mirror/").expect("a URL"));
        let found = |key| settings.find(Site::Zengin, key).expect("an address").to_string();
        assert!(found("updated-at").starts_with("http://127.0.0.1:8/mirror/zengin-code/"));
        assert!(found("archive").starts_with("http://127.0.0.1:8/mirror/zengin-code/"));
    }

    #[test]
    fn origins_are_web_addresses() {
        for (text, good) in [
            ("https://example.jp", true),
            ("http://127.0.0.1:8080/mirror", true),
            ("example.jp", false),
            ("file:///tmp", false),
            ("https://example.jp/?a", false),
            ("", false),
        ] {
            assert_eq!(parse_origin(text).is_some(), good, "{text}");
        }
    }
}
