//! The request that each call of a client sends, by the name of the call.

/// The path and query string of the request that this call sends.
pub fn path(call: &str) -> Option<&'static str> {
    Some(match call {
        "address" | "address_with_hyphen" => "/v1/postalcode/1000001",
        "address_of_a_version" => "/v1/postalcode/1000001?version=2026-05-29",
        "business" => "/v1/postalcode/0608611",
        "cities" => "/v1/cities/13",
        "search_address" => {
            "/v1/postalcode/?limit=5&offset=0&t=%E6%9D%B1%E4%BA%AC%E9%83%BD%E5%8D%83%E4%BB%A3%E7%94%B0\
             %E5%8C%BA%E5%8D%83%E4%BB%A3%E7%94%B01-1"
        }
        "search_query" => "/v1/postalcode/?limit=3&q=%E5%8D%83%E4%BB%A3%E7%94%B0",
        "search_facet" => "/v1/postalcode/?facet=/&q=%E5%8D%83%E4%BB%A3%E7%94%B0",
        "corporation" => "/v1/houjinbangou/6010001999901",
        "corporation_closed" => "/v1/houjinbangou/5010001999902",
        "search_corporations" => {
            "/v1/houjinbangou?mode=partial&limit=100&offset=0&q=%E5%8F%B0%E5%B8%B3"
        }
        "search_corporations_facet" => "/v1/houjinbangou?facet_area=/&q=%E5%8F%B0%E5%B8%B3",
        "invoice" => "/v1/invoice/T6010001999901",
        "banks" => "/v1/bank",
        "bank" => "/v1/bank/0001",
        "branches" => "/v1/bank/0001/branches",
        "branch" => "/v1/bank/0001/branches/010",
        "search_banks" => "/v1/bank?q=%E3%81%BF%E3%81%BB%E3%82%93",
        "search_branches" => "/v1/bank/0001/branches?q=%E4%BC%9A%E6%B4%A5",
        "holidays" => "/v1/holidays?year=2026",
        "holidays_between" => "/v1/holidays?from=2026-05-01&to=2026-05-31",
        "business_day" => "/v1/businessdays/check?date=2026-11-24",
        "whoami" => "/v1/whoami",
        "school" => "/v1/school/F108110009907",
        "search_schools" => "/v1/school/?q=%E5%A4%A7%E5%AD%A6",
        _ => return None,
    })
}
