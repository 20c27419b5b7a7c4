//! The example of an endpoint as code to copy. A test runs all of it.
//!
//! The code prints an answer; a file, which a terminal could not show, is saved under its name.

use crate::api::endpoint::{Content, Endpoint, Verb};

const HOST: &str = "http://localhost:8080";

/// The example in several languages, with their names.
pub fn requests(endpoint: &Endpoint) -> [(&'static str, String); 3] {
    let example = Example {
        url: format!("{HOST}{}", endpoint.example),
        needs_key: endpoint.needs.is_some(),
        body: (endpoint.method == Verb::Post).then_some(endpoint.example_body),
        file: match endpoint.content {
            Content::Other("application/x-xz") => endpoint.path.rsplit('/').next(),
            _ => None,
        },
    };
    [("curl", example.curl()), ("JavaScript", example.javascript()), ("Python", example.python())]
}

struct Example {
    url: String,
    needs_key: bool,
    body: Option<&'static str>,
    /// The file name, if the answer is a file.
    file: Option<&'static str>,
}

impl Example {
    fn curl(&self) -> String {
        let save = if self.file.is_some() { " --fail -O" } else { "" };
        let key = if self.needs_key { " -H 'Authorization: Token YOUR_KEY'" } else { "" };
        let body = self.body.map(|body| format!(" \\\n  --json '{body}'")).unwrap_or_default();
        format!("curl{save}{key}{body} \\\n  '{}'", self.url)
    }

    fn javascript(&self) -> String {
        let mut options = Vec::new();
        if self.body.is_some() {
            options.push("  method: 'POST',\n".to_owned());
        }
        if self.needs_key {
            options.push("  headers: { Authorization: 'Token YOUR_KEY' },\n".to_owned());
        }
        if let Some(body) = self.body {
            options.push(format!("  body: JSON.stringify({body}),\n"));
        }
        let options = match options.is_empty() {
            true => String::new(),
            false => format!(", {{\n{}}}", options.concat()),
        };
        let fetch = format!("const answer = await fetch('{}'{options});", self.url);
        match self.file {
            None => format!("{fetch}\nconsole.log(answer.status, await answer.text());"),
            Some(file) => format!(
                "import {{ writeFile }} from 'node:fs/promises';\n\n{fetch}\n\
                 if (!answer.ok) throw new Error(await answer.text());\n\
                 await writeFile('{file}', answer.body);"
            ),
        }
    }

    fn python(&self) -> String {
        let key = "    headers={\"Authorization\": \"Token YOUR_KEY\"},\n";
        let key = if self.needs_key { key } else { "" };
        let body = self.body.map(|body| format!("    data='{body}'.encode(),\n"));
        let body = body.unwrap_or_default();
        let request = format!(
            "import urllib.request\n\nrequest = urllib.request.Request(\n    \"{}\",\n{body}{key})\n\
             with urllib.request.urlopen(request) as answer",
            self.url
        );
        match self.file {
            None => format!("{request}:\n    print(answer.status, answer.read().decode())"),
            Some(file) => format!(
                "import shutil\n{request}, open(\"{file}\", \"wb\") as file:\n    \
                 shutil.copyfileobj(answer, file)"
            ),
        }
    }
}
