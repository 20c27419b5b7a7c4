//! A client of a form protocol in a page of a real browser. The others run in pages of jsdom, see `clients.cjs`.

use std::fs;

use crate::dashboard::browser::Browser;
use crate::forms::shop::{Shop, focus, press, wait_for_value};
use crate::tools;

/// The files of jQuery and of the plug-in as they are in their packages, and a form of its instructions whose address is
/// that of the server.
fn page(base: &str) -> [String; 2] {
    let modules = tools::folder("compat-clients").join("node_modules");
    let script = |file: &str| {
        let text = fs::read_to_string(modules.join(file)).expect("a file of an installed package");
        format!("<script>{text}</script>")
    };
    let head = script("jquery/dist/jquery.js") + &script("jquery-jpostal-ja/jquery.jpostal.js");
    let form = format!(
        "<form><input id=postcode1 maxlength=3><input id=postcode2 maxlength=4>
           <input id=address1><input id=address2><input id=address3></form>
         <script>
           $('#postcode1').jpostal({{
             postcode: ['#postcode1', '#postcode2'],
             address: {{ '#address1': '%3', '#address2': '%4', '#address3': '%5%6' }},
             url: {{ http: '{base}/json/', https: '{base}/json/' }},
           }});
         </script>"
    );
    [head, form]
}

#[needs::chromium]
#[needs::compat_clients]
#[test]
fn jquery_jpostal_fills_the_fields_of_a_page() {
    let browser = Browser::start();
    let open = Shop::open_to_scripts(&["--compat", "jpostal", "--compat-account", "demo"]);
    let closed = Shop::open_to_scripts(&["--compat", "jpostal"]);
    let with_key = format!("http://{}/{}", closed.served.address, closed.served.unbound);
    for (shop, base) in [(&open, format!("http://{}", open.served.address)), (&closed, with_key)] {
        let [head, form] = page(&base);
        for (first, last, rest) in [("100", "0001", "千代田"), ("100", "8111", "千代田１－１")]
        {
            shop.show_page(&browser, &head, &form);
            focus(&browser, "#postcode1");
            press(&browser, first);
            focus(&browser, "#postcode2");
            press(&browser, last);
            wait_for_value(&browser, "#address3", rest);
            wait_for_value(&browser, "#address1", "東京都");
            wait_for_value(&browser, "#address2", "千代田区");
        }
    }
}
