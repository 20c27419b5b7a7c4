//! Business days: checks a day, adds business days to a day, and counts business days between two days.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use crate::api::RequestTarget;
use crate::mcp::tool::{ApiClient, Tool, ToolError};
use crate::snapshot::DatasetKind;

/// The calendar of business days
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, derive_more::Display,
)]
#[display(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Calendar {
    /// Closed on Saturdays, Sundays and holidays (土日・祝日)
    #[default]
    National,
    /// Also closed from 31 December to 3 January, like banks (銀行営業日)
    Bank,
}

/// The response of the API to each request about business days.
#[derive(Debug, Deserialize)]
struct ResultResponse<T> {
    result: T,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckBusinessDay {
    /// The day, YYYY-MM-DD
    date: String,
    #[serde(default)]
    calendar: Calendar,
}

#[derive(Debug, Deserialize)]
struct Holidays {
    data: Vec<Holiday>,
}

#[derive(Debug, Deserialize)]
struct Holiday {
    title: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    date: String,
    business_day: bool,
    /// Name of the holiday (祝日・休日); absent on other days, including weekends that are no holiday
    #[serde(skip_serializing_if = "Option::is_none")]
    holiday: Option<String>,
}

impl Tool for CheckBusinessDay {
    const NAME: &'static str = "check_business_day";
    const TITLE: &'static str = "Check a business day (営業日の判定)";
    const DESCRIPTION: &'static str = "Checks whether a day is a business day (営業日) in Japan. If the day \
        is a holiday (国民の祝日・休日), returns its name.";
    const DATASET: Option<DatasetKind> = None;
    type Output = Checked;

    async fn call(self, client: &ApiClient) -> Result<Checked, ToolError> {
        let CheckBusinessDay { date, calendar } = self;
        let target = RequestTarget::new("/v1/businessdays/check").with("date", &date);
        let ResultResponse { result: business_day } =
            client.get(target.with("calendar", calendar)).await?;
        let target = RequestTarget::new("/v1/holidays").with("from", &date).with("to", &date);
        let Holidays { data } = client.get(target).await?;
        let holiday = data.into_iter().next().map(|holiday| holiday.title);
        Ok(Checked { date, business_day, holiday })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddBusinessDays {
    /// The start day, YYYY-MM-DD; it is not counted
    date: String,
    /// Number of business days; negative numbers count backwards
    #[schemars(range(min = -10000, max = 10000))]
    days: i64,
    #[serde(default)]
    calendar: Calendar,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Day {
    /// The resulting business day, YYYY-MM-DD
    date: String,
}

impl Tool for AddBusinessDays {
    const NAME: &'static str = "add_business_days";
    const TITLE: &'static str = "Add business days (営業日の加算)";
    const DESCRIPTION: &'static str = "Adds a number of business days (営業日) in Japan to a day and returns \
        the resulting day. A negative number goes back.";
    const DATASET: Option<DatasetKind> = None;
    type Output = Day;

    async fn call(self, client: &ApiClient) -> Result<Day, ToolError> {
        let AddBusinessDays { date, days, calendar } = self;
        let target =
            RequestTarget::new("/v1/businessdays/add").with("date", date).with("days", days);
        let ResultResponse { result: date } = client.get(target.with("calendar", calendar)).await?;
        Ok(Day { date })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountBusinessDays {
    /// The start day, YYYY-MM-DD; it is not counted
    from: String,
    /// The end day, YYYY-MM-DD; it is counted. Not before the start day
    to: String,
    #[serde(default)]
    calendar: Calendar,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Counted {
    business_days: u64,
}

impl Tool for CountBusinessDays {
    const NAME: &'static str = "count_business_days";
    const TITLE: &'static str = "Count business days (営業日数)";
    const DESCRIPTION: &'static str = "Counts the business days (営業日) in Japan between two days: the start \
        day is not counted, the end day is.";
    const DATASET: Option<DatasetKind> = None;
    type Output = Counted;

    async fn call(self, client: &ApiClient) -> Result<Counted, ToolError> {
        let CountBusinessDays { from, to, calendar } = self;
        let target =
            RequestTarget::new("/v1/businessdays/between").with("from", from).with("to", to);
        let ResultResponse { result: business_days } =
            client.get(target.with("calendar", calendar)).await?;
        Ok(Counted { business_days })
    }
}
