//! The parameters in the path of a request.

/// The parameters of a path, as they were sent, in its order. A request passes them on by value, so they are few words.
#[derive(Debug, Clone, Copy, Default)]
pub struct PathParams<'p> {
    params: [Option<(&'static str, &'p str)>; PathParams::COUNT_MAX],
}

impl PathParams<'_> {
    /// The most parameters of a path.
    pub const COUNT_MAX: usize = 2;
}

impl<'p> PathParams<'p> {
    pub fn one(name: &'static str, value: &'p str) -> PathParams<'p> {
        PathParams { params: [Some((name, value)), None] }
    }

    pub fn get(&self, name: &str) -> Option<&'p str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'p str)> {
        self.params.into_iter().flatten()
    }
}

impl<'p> From<matchit::Params<'static, 'p>> for PathParams<'p> {
    fn from(found: matchit::Params<'static, 'p>) -> PathParams<'p> {
        let mut params = PathParams::default();
        for (slot, param) in params.params.iter_mut().zip(found.iter()) {
            *slot = Some(param);
        }
        params
    }
}
