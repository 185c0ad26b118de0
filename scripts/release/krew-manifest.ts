import { stringify } from 'yaml';
import { archiveFile, licenceFiles, type PlatformName, platformNames, platforms, programFile } from '../executable/platforms.ts';

export interface KrewRelease {
  /** Serin's version, without a `v`. */
  version: string;
  /** `https://…/OWNER/REPOSITORY` */
  repository: string;
  /** SHA-256 of the archive of each platform, in hexadecimal. */
  sums: Readonly<Partial<Record<PlatformName, string>>>;
}

/**
 * `serin.yaml`, by which krew installs the plugin: https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest. A platform without an
 * archive is an error, since its users would lose the plugin by an upgrade.
 */
export function krewManifest({ version, repository, sums }: KrewRelease): string {
  return stringify(
    {
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: 'serin' },
      spec: {
        version: `v${version}`,
        homepage: repository,
        shortDescription: 'Show and steer canary releases',
        description: [
          'Shows the releases that Serin makes of Canary objects (flagger.app/v1beta1): their',
          'phase, traffic and checks, why one does not go on and its remedy, promoted revisions',
          'before. Promotes, takes back, pauses, resumes, retries and undoes releases, splits',
          'the traffic of Knative Services by hand, and checks manifests.\n',
        ].join('\n'),
        caveats:
          'Reading needs the rights to read Canaries, their workloads and Events in the namespace;\nsteering needs the right to update Canaries.\n',
        platforms: platformNames.map((name) => installOn(name, { version, repository, sums })),
      },
    },
    { lineWidth: 0 },
  );
}

function installOn(name: PlatformName, { version, repository, sums }: KrewRelease): object {
  const sha256 = sums[name];
  if (!sha256 || !/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`archive for ${name} not found: npm run sea -- ${name}`);
  const { os, arch } = platforms[name];
  const bin = programFile(platforms[name]);
  return {
    selector: { matchLabels: { os, arch } },
    uri: `${repository}/releases/download/v${version}/${archiveFile(version, name)}`,
    sha256,
    files: [bin, ...licenceFiles].map((from) => ({ from, to: '.' })),
    bin,
  };
}
