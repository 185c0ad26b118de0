import { createHash } from 'node:crypto';
import { appendFileSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { Registries } from './registries.ts';
import type { Tampering } from './tampering.ts';

const { version } = manifest;

export interface Downloaded {
  registries: Registries;
  /** Files of the release, as a user has them. */
  folder: string;
  /** The public key that signed. */
  key: string;
  /** One of someone else. */
  otherKey: string;
}

/** Changes that an attacker in the middle, in a registry or at the place of the files can make. */
export function tamperings({ registries, folder, key, otherKey }: Downloaded): Tampering[] {
  const { images, imageFolder, packageFolder } = registries;
  const file = (name: string): string => join(folder, name);
  const executable = readdirSync(folder).find((name) => /^serin-.*\.tar\.gz$/.test(name)) ?? '';
  return [
    { what: 'another image under the tag', verification: 'image', change: () => anotherUnderTag(images, 'serin/serin') },
    { what: 'an image signed by someone else', verification: 'image', change: async () => replaced(key, otherKey) },
    {
      what: 'an image without its signature, of which the signer has stated bill of materials and origin',
      verification: 'image',
      change: () => withoutSignature(images, 'serin/serin'),
    },
    { what: 'an origin signed by someone else', verification: 'provenance', change: async () => replaced(key, otherKey) },
    {
      what: 'other bytes in a layer of the image',
      verification: 'pull',
      change: async () => flipped(largestLayer(imageFolder, 'serin/serin')),
    },
    { what: 'another chart under its version', verification: 'chart', change: () => anotherUnderTag(images, 'serin/charts/serin') },
    { what: 'another file of the chart', verification: 'files', change: async () => appended(file(`serin-chart-${version}.tgz`)) },
    { what: 'another file of the package', verification: 'files', change: async () => appended(file(`serin-${version}.tgz`)) },
    {
      what: 'another package in a registry',
      verification: 'package',
      change: async () => appended(join(packageFolder, 'serin', `serin-${version}.tgz`)),
    },
    { what: 'another executable', verification: 'files', change: async () => appended(file(executable)) },
    { what: 'another bill of materials', verification: 'files', change: async () => appended(file('serin-sbom.cdx.json')) },
    {
      what: 'another bill of materials, beside the image that has the true one',
      verification: 'bill-of-materials',
      change: async () =>
        rewritten(file('serin-sbom.cdx.json'), (text) => text.replace('"components": [', '"components": [ { "name": "more" },')),
    },
    {
      what: 'another bill of materials, and a list of checksums that fits it',
      verification: 'files',
      change: async () => {
        const undo = appended(file('serin-sbom.cdx.json'));
        const sum = createHash('sha256')
          .update(readFileSync(file('serin-sbom.cdx.json')))
          .digest('hex');
        const undoList = rewritten(file('SHA256SUMS'), (text) => text.replace(/^[0-9a-f]{64}(?= {2}serin-sbom)/m, sum));
        return async () => {
          await undoList();
          await undo();
        };
      },
    },
  ];
}

type Undo = () => Promise<void>;

function appended(path: string): Undo {
  const before = readFileSync(path);
  appendFileSync(path, '\n');
  return async () => writeFileSync(path, before);
}

/** Another bit in the middle. */
function flipped(path: string): Undo {
  const before = readFileSync(path);
  const after = Buffer.from(before);
  const middle = Math.floor(after.length / 2);
  after.writeUInt8(after.readUInt8(middle) ^ 1, middle);
  writeFileSync(path, after);
  return async () => writeFileSync(path, before);
}

function rewritten(path: string, change: (text: string) => string): Undo {
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${path} was not changed`);
  writeFileSync(path, after);
  return async () => writeFileSync(path, before);
}

function replaced(path: string, other: string): Undo {
  const before = readFileSync(path);
  copyFileSync(other, path);
  return async () => writeFileSync(path, before);
}

/** Change that a thief of a registry's password can make: the same content but for a word, under the tag that users know. */
function anotherUnderTag(registry: string, repository: string): Promise<Undo> {
  return manifestChanged(`http://${registry}/v2/${repository}/manifests/${version}`, async (manifest) => ({
    ...manifest,
    annotations: { by: 'someone else' },
  }));
}

/** The list of all that is signed about the image, without the image's own signature. */
async function withoutSignature(registry: string, repository: string): Promise<Undo> {
  const manifests = `http://${registry}/v2/${repository}/manifests`;
  const { headers } = await fetch(`${manifests}/${version}`, { method: 'HEAD', headers: { accept: OCI } });
  const list = headers.get('docker-content-digest')?.replace(':', '-');
  const isSignature = async ({ digest }: { digest: string }): Promise<boolean> =>
    (await (await fetch(`${manifests}/${digest}`, { headers: { accept: OCI } })).text()).includes('https://sigstore.dev/cosign/sign/');
  return manifestChanged(`${manifests}/${list}`, async (index) => {
    const all = index.manifests ?? [];
    const signatures = await Promise.all(all.map(isSignature));
    return { ...index, manifests: all.filter((_, at) => !signatures[at]) };
  });
}

const OCI = ['index.v1', 'manifest.v1'].map((kind) => `application/vnd.oci.image.${kind}+json`).join(', ');

interface Manifest {
  manifests?: readonly { digest: string }[];
}

async function manifestChanged(url: string, changed: (manifest: Manifest) => Promise<object>): Promise<Undo> {
  const found = await fetch(url, { headers: { accept: OCI } });
  const type = found.headers.get('content-type') ?? '';
  const before = await found.text();
  const after = JSON.stringify(await changed(JSON.parse(before) as Manifest));
  if (after === before) throw new Error(`${url} was not changed`);
  const put = async (body: string): Promise<void> => {
    const { status } = await fetch(url, { method: 'PUT', body, headers: { 'content-type': type } });
    if (status !== 201) throw new Error(`${url} was not written: ${status}`);
  };
  await put(after);
  return () => put(before);
}

/** Path of the blob; the registry keeps each under its digest. */
function largestLayer(imageFolder: string, repository: string): string {
  const storage = join(imageFolder, 'docker', 'registry', 'v2');
  const layers = join(storage, 'repositories', ...repository.split('/'), '_layers', 'sha256');
  const blobs = readdirSync(layers).map((digest) => join(storage, 'blobs', 'sha256', digest.slice(0, 2), digest, 'data'));
  const [largest] = blobs.toSorted((one, other) => readFileSync(other).length - readFileSync(one).length);
  if (largest === undefined) throw new Error(`${repository} has no layers`);
  return largest;
}
