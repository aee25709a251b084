// Builds the page into dist/, or into another folder that is given. The result depends only on the
// sources and the lock file, so that a test can rebuild the committed files and compare.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The notices of the packages with files among the inputs. */
async function licences(inputs) {
  const packages = new Set(inputs.map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean));
  const notices = [...packages].sort().map(async (name) => {
    const folder = here(`node_modules/${name}`);
    const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
    const file = (await readdir(folder)).find((known) => /^licen[cs]e/i.test(known));
    if (!file) throw new Error(`${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${(await readFile(`${folder}/${file}`, 'utf8')).trim()}\n`;
  });
  return `The page contains these packages.\n\n${(await Promise.all(notices)).join(`\n${'-'.repeat(72)}\n\n`)}`;
}

const TYPES = { css: 'text/css', html: 'text/html', js: 'text/javascript', svg: 'image/svg+xml', txt: 'text/plain' };

/** The files of the page as the program holds them: see `File` in src/assets.rs. */
async function listed(folder) {
  const lines = (await readdir(folder)).sort().map(async (name) => {
    const type = TYPES[name.split('.').pop()];
    if (!type) throw new Error(`${name} has an ending without a media type`);
    const hash = createHash('sha256').update(await readFile(`${folder}/${name}`)).digest('hex').slice(0, 32);
    return `    File { name: "${name}", media_type: "${type}", hash: "${hash}", bytes: include_bytes!("${name}") },\n`;
  });
  return `[\n${(await Promise.all(lines)).join('')}]\n`;
}

const OPTIONS = {
  metafile: true,
  absWorkingDir: here('.'),
  bundle: true,
  target: 'es2022',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
};

/** A site asks its own files instead of a server. */
const ownFiles = {
  name: 'own files',
  setup: ({ onResolve }) => onResolve({ filter: /^\.\/send$/ }, ({ resolveDir }) => (resolveDir.endsWith('api') ? { path: here('src/site/send.ts') } : undefined)),
};

export async function buildInto(outdir) {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build({
    ...OPTIONS, entryPoints: { main: 'src/main.tsx', style: 'src/style.css' }, outdir, splitting: true, format: 'esm',
    chunkNames: '[name]-[hash]', define: { SITE: 'false' },
  });
  // One script that is no module: a browser loads no modules from the disk.
  await build({ ...OPTIONS, entryPoints: { site: 'src/main.tsx' }, outdir, format: 'iife', define: { SITE: 'true' }, plugins: [ownFiles] });
  await writeFile(`${outdir}/LICENSES.txt`, await licences(Object.keys(metafile.inputs)));
  for (const file of ['index.html', 'site.html', 'icon.svg', 'sw.js']) await cp(here(`src/${file}`), `${outdir}/${file}`);
  await writeFile(`${outdir}/files.rs`, await listed(outdir));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInto(here('dist'));
