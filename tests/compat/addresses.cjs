// Reads addresses with the unchanged normalize-japanese-addresses: node addresses.cjs NODE_MODULES BASE ADDRESS…. Prints for
// each address what versions 3 and 2 found, as JSON. Only the base address is set.

const { join } = require('node:path');

const [modules, base, ...addresses] = process.argv.slice(2);
const newest = require(join(modules, '@geolonia/normalize-japanese-addresses'));
const before = require(join(modules, 'normalize-japanese-addresses-2'));
newest.config.japaneseAddressesApi = `${base}/api/ja`;
before.config.japaneseAddressesApi = `${base}/v1-ja/api/ja`;

async function read(address) {
  const { pref, city, town, other, level, point, metadata } = await newest.normalize(address);
  const old = await before.normalize(address);
  // Above level 3 the old versions ask for blocks.
  const blocks = await before.normalize(address, { level: 8 });
  const place = [pref, city, town, other, level].map((value) => value ?? '');
  return {
    place,
    point: point && [point.lng, point.lat, point.level],
    code: metadata.city && metadata.city.code,
    id: metadata.machiAza && metadata.machiAza.machiaza_id,
    old: [old.pref, old.city, old.town, old.addr, old.level],
    oldPoint: [old.lng, old.lat],
    blocks: blocks.level,
  };
}

(async () => {
  const found = {};
  for (const address of addresses) found[address] = await read(address);
  console.log(JSON.stringify(found));
})();
