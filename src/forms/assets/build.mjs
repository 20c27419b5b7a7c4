// Bundles the modules of source/ into built/, and writes their integrity into the documents that show it.
//
// `make js` passes the folder with esbuild. A test also passes a second folder: then the bundles are written there, to
// be compared, and the documents are not changed.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [tools, elsewhere] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const documents = ['docs/forms.md', 'docs/forms.ja.md'].map((name) => join(here, '../../..', name));
const esbuild = createRequire(resolve(tools, 'package.json'))('esbuild');

for (const [entry, file, format] of [
  ['global.js', 'daicho.js', 'iife'],
  ['module.js', 'daicho.mjs', 'esm'],
]) {
  const { outputFiles } = esbuild.buildSync({
    absWorkingDir: here,
    entryPoints: [join('source', entry)],
    // The source paths in the map are relative to this folder, wherever the files are written.
    outfile: join('built', file),
    write: false,
    bundle: true,
    minify: true,
    sourcemap: 'linked',
    charset: 'utf8',
    target: 'es2020',
    format,
    banner: { js: '/* daicho.js, MIT OR Apache-2.0 */' },
    logLevel: 'warning',
  });
  for (const made of outputFiles) {
    writeFileSync(join(elsewhere ? resolve(elsewhere) : join(here, 'built'), basename(made.path)), made.contents);
  }
}

if (!elsewhere) {
  const bytes = readFileSync(join(here, 'built/daicho.js'));
  // src/forms/mod.rs computes the same name and integrity.
  const name = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const integrity = createHash('sha384').update(bytes).digest('base64');
  for (const document of documents) {
    const text = readFileSync(document, 'utf8');
    const renewed = text
      .replace(/\/js\/daicho-[0-9a-f]{16}\.js/g, `/js/daicho-${name}.js`)
      .replace(/sha384-[A-Za-z0-9+/]{64}/g, `sha384-${integrity}`);
    writeFileSync(document, renewed);
  }
}
