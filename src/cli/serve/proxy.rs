//! The option that names the proxies in front of the server.

use clap::Args;

use crate::server::proxies::TrustedProxies;
use crate::text::network::Network;

#[derive(Debug, Args)]
pub struct ProxyArgs {
    /// Address or network of a proxy in front of the server, such as 127.0.0.1 or 10.0.0.0/8; repeat
    /// the option or separate with commas. X-Forwarded-For is ignored from any other address
    #[arg(long, value_name = "CIDR", env = "DAICHO_TRUSTED_PROXY", value_delimiter = ',')]
    trusted_proxy: Vec<Network>,
}

impl ProxyArgs {
    pub fn proxies(&self) -> TrustedProxies {
        TrustedProxies(self.trusted_proxy.clone())
    }
}
