/**
 * Makes the files of a release: `node scripts/release-assets.ts FOLDER NOTES_FILE`, after `npm ci`. IMAGE_REPOSITORY and IMAGE_DIGEST name the image that the
 * charts start; HELM is the path of helm, when it is not on the PATH. With REPOSITORY_URL, where the release will be, it also writes the manifest for krew:
 * then the archives of all executables (`npm run sea`) are in FOLDER already.
 * SOURCE_DATE_EPOCH is the time of the charts and their files: the same commit then gives the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { archiveFile, platformNames } from './executable/platforms.ts';
import { changelogSection } from './release/check-names.ts';
import { krewManifest } from './release/krew-manifest.ts';
import { pinImage } from './release/pin-image.ts';
import { checkRepository, repository as written } from './repository.ts';

const root = join(import.meta.dirname, '..');
const {
  IMAGE_REPOSITORY: repository = '',
  IMAGE_DIGEST: digest = '',
  HELM: helm = 'helm',
  REPOSITORY_URL: url,
  SOURCE_DATE_EPOCH: epoch,
} = process.env;
const [, , folder, notesFile] = process.argv;
if (!folder || !notesFile) throw new Error('usage: node scripts/release-assets.ts FOLDER NOTES_FILE');
const { name, version } = manifest;
const out = resolve(folder);

const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const run = (program: string, ...args: string[]): void => void execFileSync(program, args, { cwd: root, stdio: 'inherit' });

if (url) checkRepository(url, written);
const notes = changelogSection(textOf('CHANGELOG.md'), version);
mkdirSync(out, { recursive: true });
// Builds dist/ first (prepack).
run('npm', 'pack', '--pack-destination', out);
copyFileSync(join(root, 'dist', 'THIRD-PARTY-NOTICES.txt'), join(out, `${name}-third-party-notices.txt`));
copyFileSync(join(root, 'dist', 'sbom.cdx.json'), join(out, `${name}-sbom.cdx.json`));
writeFileSync(join(out, `${name}-crds.yaml`), definitions());
packCharts();
if (url) writeFileSync(join(out, `${name}.yaml`), krewManifest({ version, repository: url, sums: executableSums() }));
writeFileSync(join(out, 'SHA256SUMS'), checksums());
writeFileSync(notesFile, `${notes}\n`);

/** For users who apply them by kubectl. */
function definitions(): string {
  const files = readdirSync(join(root, 'charts', 'serin', 'files', 'crds')).sort();
  return files.map((file) => textOf('charts', 'serin', 'files', 'crds', file).replace(/^(?!---)/, '---\n')).join('');
}

/** `serin-chart-1.2.3.tgz`: without `-chart` it would have the name of the npm package. */
function packCharts(): void {
  const work = mkdtempSync(join(tmpdir(), 'serin-charts-'));
  try {
    for (const chart of readdirSync(join(root, 'charts')).sort()) {
      const copy = join(work, chart);
      cpSync(join(root, 'charts', chart), copy, { recursive: true });
      writeFileSync(join(copy, 'values.yaml'), pinImage(textOf('charts', chart, 'values.yaml'), { repository, digest }));
      const packed = join(work, `packed-${chart}`);
      run(helm, 'package', copy, '--destination', packed);
      for (const file of readdirSync(packed)) {
        const chartFile = join(out, file.replace(/-(?=[^-]+\.tgz$)/, '-chart-'));
        renameSync(join(packed, file), chartFile);
        // `helm push` says that a chart was made when its file was.
        if (epoch) utimesSync(chartFile, Number(epoch), Number(epoch));
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function executableSums(): Partial<Record<(typeof platformNames)[number], string>> {
  const made = platformNames.filter((platform) => existsSync(join(out, archiveFile(version, platform))));
  return Object.fromEntries(made.map((platform) => [platform, sumOf(archiveFile(version, platform))]));
}

function sumOf(file: string): string {
  const bytes = readFileSync(join(out, file));
  return createHash('sha256').update(bytes).digest('hex');
}

/** Checksums in the form of sha256sum. */
function checksums(): string {
  const files = readdirSync(out).filter((file) => file !== 'SHA256SUMS');
  return files
    .toSorted()
    .map((file) => `${sumOf(file)}  ${file}\n`)
    .join('');
}
