/** Makes dist/: the bundle, with the files that belong to it. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, dist, root } from './build/bundle.ts';
import { bundledPackages } from './build/bundled-packages.ts';
import { notices } from './build/notices.ts';
import { bundleBom, lockedPackages } from './build/sbom.ts';

rmSync(dist, { recursive: true, force: true });
const metafile = await bundle({ write: true });
const packages = bundledPackages(metafile, root);
chmodSync(join(dist, 'serin.js'), 0o755);
// Node treats .js as CommonJS unless a package.json above says otherwise; dist/ must also run where only it is copied.
writeFileSync(join(dist, 'package.json'), '{ "type": "module" }\n');
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), notices(packages, readFileSync(join(root, 'LICENSE'), 'utf8')));
writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(bundleBom(lockedPackages(root), packages), undefined, 2)}\n`);

const sizes = Object.values(metafile.outputs).map(({ bytes }) => bytes);
const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
process.stdout.write(`dist: ${sizes.length} files, ${Math.round(total / 1024)} KiB, ${packages.length} packages\n`);
