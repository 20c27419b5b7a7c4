//! Compares the documentation that the server serves with the behaviour of the server: examples are sent and their code
//! is run, answers are compared with the documented shapes, and a validator and schemathesis read `/openapi.json`.

mod examples;
mod looks;
mod official;
mod openapi;
mod pages;
mod shapes;
mod site;
mod snippets;
mod tables;
mod translations;
