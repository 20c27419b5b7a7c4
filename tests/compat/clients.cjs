// Runs the unchanged clients of form protocols in a page of jsdom: node clients.cjs NODE_MODULES BASE. Prints what each
// found for some codes, as JSON. Only the base address is set.

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const [modules, base] = process.argv.slice(2);
const { JSDOM } = require(join(modules, 'jsdom'));

const CODES = ['1000001', '1008111', '0000000'];
const read = (file) => readFileSync(join(modules, file), 'utf8');

function page() {
  const html = '<form><input id=code><input id=region><input id=city><input id=town></form>';
  return new JSDOM(html, { url: 'https://shop.example/', runScripts: 'dangerously', resources: 'usable' }).window;
}

const within = (time, promise) => Promise.race([promise, new Promise((done) => setTimeout(done, time, null))]);

function yubinbango(name) {
  return (code) => {
    const window = page();
    window.eval(`var module = {};${read(join(name, 'yubinbango-core.js'))};window.YubinBango = YubinBango;`);
    const core = new window.YubinBango.Core();
    core.URL = `${base}/data`;
    return new Promise((done) => {
      core.getAddr(code, (found) => done([found.region, found.locality, found.street, found.extended]));
    });
  };
}

// Its address is a constant, and it finds nothing without calling back.
function japanPostalCode(code) {
  const window = page();
  const jsonp = `var module = {};${read('jsonp/index.js').replace("require('debug')", '(() => () => {})')};module.exports`;
  window.jsonp = window.eval(`(() => {${jsonp.replace(/module\.exports$/, 'return module.exports')}})()`);
  const text = read('japan-postal-code/index.js').replace(/https:\/\/[^']*\/data/, `${base}/data`);
  const client = window.eval(`(() => {const exports = {}; const require = () => window.jsonp; ${text}; return exports})()`);
  const asked = new Promise((done) => client.get(code, (it) => done([it.prefecture, it.city, it.area, it.street])));
  return within(1500, asked);
}

async function jpostal(code) {
  const window = page();
  window.eval(read('jquery/dist/jquery.js'));
  window.eval(read('jquery-jpostal-ja/jquery.jpostal.js'));
  const { $ } = window;
  const url = { http: `${base}/json/`, https: `${base}/json/` };
  const address = { '#region': '%3', '#city': '%4', '#town': '%5%6' };
  $('#code').jpostal({ postcode: ['#code'], address, url });
  $('#code').val(code).trigger('keyup');
  const values = () => ['#region', '#city', '#town'].map((selector) => $(selector).val());
  for (let tries = 0; tries < 30 && !values()[0]; tries += 1) await new Promise((done) => setTimeout(done, 50));
  return values();
}

async function zipcloud(code) {
  const window = page();
  window.eval(read('jquery/dist/jquery.js'));
  const url = `${base}/api/search?zipcode=${code}`;
  const asked = window.$.ajax({ url, dataType: 'jsonp' });
  const script = await asked;
  const fetched = await (await fetch(url)).json();
  const first = (answer) => answer.results && Object.values(answer.results[0]).slice(0, 3);
  return [first(script), first(fetched)];
}

// A hook of React: a component has what it returns.
function usePostalJp(options) {
  const React = require(join(modules, 'react'));
  const { create } = require(join(modules, 'react-test-renderer'));
  const { usePostalJp: hook } = require(join(modules, 'use-postal-jp'));
  return (code) => {
    const shown = new Promise((done) => {
      function Shown() {
        const [address, loading, error] = hook(code, true, options);
        React.useEffect(() => {
          if (!loading && (address || error)) done(address ? Object.values(address) : null);
        });
        return null;
      }
      create(React.createElement(Shown));
    });
    return within(5000, shown);
  };
}

const ttskch = {
  url: ([first, last]) => `${base}/api/v1/${first}${last}.json`,
  parse: ({ addresses: [{ prefectureCode, ja }] }) => ({ prefectureCode, ...ja }),
};
const madefor = { url: ([first, last]) => `${base}/api/v1/${first}/${last}.json` };

const CLIENTS = {
  'yubinbango-core': yubinbango('yubinbango-core'),
  'yubinbango-core2': yubinbango('yubinbango-core2'),
  'japan-postal-code': japanPostalCode,
  'jquery-jpostal-ja': jpostal,
  zipcloud,
  'use-postal-jp': usePostalJp(madefor),
  ttskch: usePostalJp(ttskch),
};

(async () => {
  const found = {};
  for (const [name, client] of Object.entries(CLIENTS)) {
    found[name] = {};
    for (const code of CODES) found[name][code] = await client(code);
  }
  console.log(JSON.stringify(found));
  process.exit(0);
})();
