// Calls every method of the JavaScript client and prints the results as JSON.
//
// node calls.cjs MODULE BASE KEY API_VERSION...
// The API version "" stands for calls without one.
'use strict';

const [module_, base, key, ...versions] = process.argv.slice(2);
const { KENALL } = require(module_);

const client = new KENALL(key, { apibase: `${base}/v1`, timeout: 30000 });

// By the name of the call in calls.rs.
const calls = {
  address: (api) => client.getAddress('1000001', undefined, api),
  address_with_hyphen: (api) => client.getAddress('100-0001', undefined, api),
  address_of_a_version: (api) => client.getAddress('1000001', '2026-05-29', api),
  business: (api) => client.getAddress('0608611', undefined, api),
  cities: (api) => client.getCities('13', undefined, api),
  search_address: (api) =>
    client.searchAddresses({ t: '東京都千代田区千代田1-1', limit: 5, offset: 0 }, api),
  search_query: (api) => client.searchAddresses({ q: '千代田', limit: 3 }, api),
  search_facet: (api) => client.searchAddresses({ q: '千代田', facet: '/' }, api),
  corporation: (api) => client.getNTACorporateInfo('6010001999901', api),
  corporation_closed: (api) => client.getNTACorporateInfo('5010001999902', api),
  search_corporations: (api) =>
    client.searchNTACorporateInfo({ query: '台帳', mode: 'partial', limit: 100, offset: 0 }, api),
  search_corporations_facet: (api) =>
    client.searchNTACorporateInfo({ query: '台帳', facet_area: '/' }, api),
  invoice: (api) => client.getNTAQualifiedInvoiceIssuerInfo('T6010001999901', api),
  banks: (api) => client.getBanks(api),
  bank: (api) => client.getBank('0001', api),
  branches: (api) => client.getBankBranches('0001', api),
  branch: (api) => client.getBankBranch('0001', '010', api),
};

// Lists the methods of the class that no call uses, so that a new method is noticed. Version 1.9.1 has no
// methods for banks, so their calls are skipped.
const methods = Object.getOwnPropertyNames(KENALL.prototype);
const called = new Set(
  Object.values(calls).flatMap((call) => [...String(call).matchAll(/client\.(\w+)/g)].map((m) => m[1])),
);
const own = ['constructor', 'request'];
const overlooked = methods.filter((name) => !own.includes(name) && !called.has(name));

async function main() {
  const results = {};
  for (const version of versions) {
    const found = (results[version] = {});
    for (const [name, call] of Object.entries(calls)) {
      const method = String(call).match(/client\.(\w+)/)[1];
      if (!methods.includes(method)) {
        continue;
      }
      try {
        found[name] = { value: await call(version === '' ? undefined : version) };
      } catch (error) {
        found[name] = { error: String(error && error.message) };
      }
    }
  }
  process.stdout.write(JSON.stringify({ overlooked, results }));
}

main();
