import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { KeptRelease } from '../../scripts/node/release.ts';
import { environment, userNames } from '../../scripts/release/rehearsal/environment.ts';
import { registriesIn, startRegistries } from '../../scripts/release/rehearsal/registries.ts';
import { Session } from '../../scripts/release/rehearsal/session.ts';
import { Transcript } from '../../scripts/release/rehearsal/transcript.ts';
import { documentedVerifications, type Verified, verify } from '../../scripts/release/rehearsal/verification.ts';
import { type Ran, runProgram } from '../e2e/helm.ts';
import { REGISTRIES } from './machine.ts';

/** Someone with a cluster, the registries of a release, its files and its public key, and nothing else of Serin. */
export interface ReleaseUser {
  /** Address of the registry of images and charts. */
  readonly images: string;
  /** The commit of the release's tag. */
  readonly commit: string;
  /** Runs a documented verification by its name, in the folder of the files. */
  verify(name: string): Verified;
  /** Runs commands of a page, in the folder of the files, and gives what they say; throws where one fails. */
  script(commands: string): Promise<string>;
  /** Runs a program of the release, of the cluster or of the system; throws where it fails. */
  ran(program: string, ...args: string[]): Promise<string>;
  /** The same; a failure is an answer. */
  run(program: string, ...args: string[]): Promise<Ran>;
  /** Digest of an image under a tag, by the registry. */
  digestOf(repository: string): Promise<string>;
  stop(): Promise<void>;
}

const { version } = manifest;

export async function aReleaseUser({ folder, addresses, commit, programs }: KeptRelease, kubeconfigFile: string): Promise<ReleaseUser> {
  const session = new Session(new Transcript());
  renameSync(join(folder, 'registries'), registriesIn(session));
  await startRegistries(programs, session, addresses);
  const { images } = addresses;
  // As an administrator of nodes does for a registry without TLS.
  const hosts = join(REGISTRIES, images);
  mkdirSync(hosts, { recursive: true });
  writeFileSync(
    join(hosts, 'hosts.toml'),
    `server = "http://${images}"\n[host."http://${images}"]\n  capabilities = ["pull", "resolve"]\n`,
  );
  const downloads = join(folder, 'files');
  const key = join(downloads, 'cosign.pub');
  copyFileSync(join(folder, 'cosign.pub'), key);
  const settings = environment(session.folder, programs, addresses);
  const verifying = { ...settings, ...userNames(addresses, key), npm_config_cache: join(session.folder, 'npm') };
  // No Node, and nothing of the checkout.
  const path = [downloads, dirname(programs.kubectl), join(session.folder, 'bin'), '/usr/bin', '/bin'].join(':');
  const env = { ...settings, PATH: path, HOME: downloads, KUBECONFIG: kubeconfigFile };
  const run = (program: string, ...args: string[]): Promise<Ran> => runProgram('/usr/bin/env', ['-C', downloads, program, ...args], env);
  const ran = async (program: string, ...args: string[]): Promise<string> => {
    const { code, said, complained } = await run(program, ...args);
    if (code !== 0) throw new Error(`${[program, ...args].join(' ')} (code ${code})\n${complained || said}`);
    return said;
  };
  return {
    images,
    commit,
    run,
    ran,
    script: (commands) => ran('bash', '-euo', 'pipefail', '-c', commands),
    verify(name) {
      const commands = documentedVerifications().get(name);
      if (commands === undefined) throw new Error(`docs/releasing.md has no block verify=${name}`);
      return verify(commands, downloads, verifying);
    },
    async digestOf(repository) {
      const accept = 'application/vnd.oci.image.index.v1+json';
      const found = await fetch(`http://${images}/v2/${repository}/manifests/${version}`, { method: 'HEAD', headers: { accept } });
      return found.headers.get('docker-content-digest') ?? `${repository} is not there: ${found.status}`;
    },
    stop: () => session.end(),
  };
}
