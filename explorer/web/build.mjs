// Builds the page into dist/. The result depends only on the sources and the lock file, so that the
// committed files can be rebuilt and compared.
import { build } from 'esbuild';
import { cp, mkdir, rm } from 'node:fs/promises';

await rm('dist', { recursive: true, force: true });
await mkdir('dist');
await build({
  entryPoints: { main: 'src/main.tsx', style: 'src/style.css' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  chunkNames: '[name]-[hash]',
  legalComments: 'none',
  logLevel: 'warning',
});
for (const file of ['index.html', 'icon.svg']) await cp(`src/${file}`, `dist/${file}`);
