//! The API and the dashboard side by side, each at the addresses where it is served.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;
use hyper::Response;

use crate::api::{ask::Api, pipeline::answer_no_endpoint};
use crate::dashboard::{self, Dashboard};
use crate::server::refusal::Refusal;
use crate::server::service::{Answer, Request, Service};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    Both,
    /// The dashboard has an address of its own.
    Api,
    Dashboard,
}

#[derive(Debug)]
pub struct Mounted {
    pub api: Arc<Api>,
    /// `None` where it is off.
    pub dashboard: Option<Arc<Dashboard>>,
    /// Whether there is an operator who may sign in; not known while the store is away.
    pub is_dashboard_on: Arc<AtomicBool>,
    /// In the order of the listeners.
    pub doors: Vec<Door>,
}

impl Service for Mounted {
    fn call(self: &Arc<Self>, request: Request<'_>) -> Answer {
        let door = self.doors.get(request.connection.listener).copied().unwrap_or(Door::Both);
        if let Some(dashboard) = &self.dashboard
            && door != Door::Api
            && self.is_dashboard_on.load(Relaxed)
            && dashboard::is_below_root(request.head.uri.path())
        {
            return dashboard::answer(dashboard, request);
        }
        match door {
            Door::Both | Door::Api => self.api.call(request),
            Door::Dashboard => answer_no_endpoint(&self.api, request),
        }
    }

    fn refuse(&self, refusal: Refusal) -> Response<Bytes> {
        self.api.refuse(refusal)
    }
}
