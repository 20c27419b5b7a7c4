// Sends the requests of houjin-bangou-api-mcp 0.1.0 to the tax agency's protocol and reads the answers as it does:
// node corporations.cjs NODE_MODULES BASE. Prints what each call gave, as JSON.
//
// The client is on no registry. This states the facts of its source of 2026: how it writes parameters, the Accept header,
// the parser with its options, which members a corporation must have, and how it reads an error.

const { join } = require('node:path');

const [modules, base] = process.argv.slice(2);
const { XMLParser } = require(join(modules, 'fast-xml-parser'));

const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false, trimValues: true });

const MEMBERS = [
  'sequenceNumber', 'corporateNumber', 'process', 'correct', 'updateDate', 'changeDate', 'name', 'nameImageId', 'kind',
  'prefectureName', 'cityName', 'streetNumber', 'addressImageId', 'prefectureCode', 'cityCode', 'postCode',
  'addressOutside', 'addressOutsideImageId', 'closeDate', 'closeCause', 'successorCorporateNumber', 'changeCause',
  'assignmentDate', 'latest', 'enName', 'enPrefectureName', 'enCityName', 'enAddressOutside', 'furigana', 'hihyoji',
];

function corporations(xml) {
  const root = parser.parse(xml).corporations;
  const listed = [root.corporation ?? []].flat();
  for (const corporation of listed) {
    const missing = MEMBERS.filter((member) => typeof corporation[member] !== 'string');
    if (missing.length || !corporation.corporateNumber || !corporation.name) {
      throw new Error(`missing ${missing} in ${JSON.stringify(corporation)}`);
    }
  }
  const counts = [root.lastUpdateDate, root.count, root.divideNumber, root.divideSize];
  return [counts, listed.map(({ corporateNumber, name, closeDate, latest }) => [corporateNumber, name, closeDate, latest])];
}

async function call(path, parameters, type = '12') {
  const query = new URLSearchParams({ ...parameters, type, id: 'Ktest01test01' });
  const headers = { Accept: type === '12' ? 'application/xml' : 'text/csv' };
  const response = await fetch(`${base}/4${path}?${query}`, { headers });
  const charset = response.headers.get('content-type')?.match(/charset=([^;]+)/i)?.[1]?.trim();
  const body = new TextDecoder(charset).decode(await response.arrayBuffer());
  if (!response.ok) return body.trim().match(/^(\d{3}),(.*)$/s) ? [response.status, body.slice(0, 3)] : body;
  return type === '12' ? corporations(body) : body.split('\r\n').map((line) => line.split(',').slice(0, 8).join());
}

(async () => {
  const number = '5010001999902';
  const found = {
    number: await call('/num', { number, history: '0' }),
    numbers: await call('/num', { number: '6010001999901,5010001999902', history: '1' }),
    unknown: await call('/num', { number: '7000012050002', history: '0' }),
    name: await call('/name', { name: '台帳', mode: '2', target: '1', address: '13', kind: '03,04', change: '0', close: '0', divide: '1' }),
    english: await call('/name', { name: 'DAICHO', mode: '2', target: '3' }),
    updates: await call('/diff', { from: '2026-08-03', to: '2026-08-03', address: '13101', kind: '03' }),
    csv: await call('/num', { number, history: '0' }, '02'),
    shiftJis: await call('/num', { number, history: '0' }, '01'),
    wrong: await call('/num', { number: '123', history: '0' }),
  };
  console.log(JSON.stringify(found));
})();
