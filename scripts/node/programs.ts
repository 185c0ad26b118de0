/** Programs of a real node, and of the build of its images: built or fetched once, into the user's cache folder. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBinaries, ensureIptables, ensurePackaged, kubernetesStamps } from '../e2e-binaries.ts';
import { ensureGoTool } from '../e2e-go-tool.ts';
import { ensureKubeProxy } from '../e2e-kube-proxy.ts';
import { cacheFolder, isExecutable, MissingToolError, makeFolder, run } from '../e2e-tools.ts';

export interface NodePrograms {
  /** Folder of etcd, kube-apiserver, kube-controller-manager and kubectl. */
  controlPlane: string;
  kubelet: string;
  scheduler: string;
  kubeProxy: string;
  /** Folder of containerd, its shims and ctr. */
  containerd: string;
}

type Say = (line: string) => void;

/** Debian's packages, each by a program that shows that it is installed. */
const PACKAGES = { runc: 'runc', buildah: 'buildah', conntrack: 'conntrack', ipset: 'ipset', debootstrap: 'debootstrap' } as const;
const PURPOSE = 'the tests of a real node run containers';

export async function ensureNodePrograms(say: Say): Promise<NodePrograms> {
  for (const name of Object.keys(PACKAGES)) await ensurePackaged(name, `${PURPOSE}: put \`${name}\` on the PATH`, say);
  await ensurePackaged('containernetworking-plugins', `${PURPOSE}: install the CNI plug-ins into /usr/lib/cni`, say, () =>
    existsSync('/usr/lib/cni/bridge') ? '/usr/lib/cni' : undefined,
  );
  await ensureIptables(say);
  const { dir: controlPlane } = await ensureBinaries(say);
  return {
    controlPlane,
    kubelet: await kubernetesProgram('kubelet', say),
    scheduler: await kubernetesProgram('kube-scheduler', say),
    kubeProxy: await ensureKubeProxy(say),
    containerd: await ensureContainerd(say),
  };
}

const kubernetesProgram = (name: string, say: Say): Promise<string> =>
  ensureGoTool(
    { name, folder: '', module: 'k8s.io/kubernetes', package: `k8s.io/kubernetes/cmd/${name}`, stamps: kubernetesStamps, purpose: PURPOSE },
    say,
  );

/** Debian's containerd, unpacked and not installed: its service would start, and it excludes that of other packages. */
async function ensureContainerd(say: Say): Promise<string> {
  const folder = cacheFolder('containerd');
  const programs = join(folder, 'usr', 'bin');
  if (isExecutable(join(programs, 'containerd'))) return programs;
  makeFolder(folder);
  say('fetching containerd with apt-get');
  const fetched = await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', 'containerd'], { cwd: folder });
  const archive = readdirSync(folder).find((file) => file.endsWith('.deb'));
  if (archive === undefined)
    throw new MissingToolError(`${PURPOSE}: Debian's package containerd cannot be fetched:\n${fetched.output.slice(-2000)}`);
  await run('dpkg-deb', ['-x', archive, '.'], { cwd: folder });
  rmSync(join(folder, archive));
  if (!isExecutable(join(programs, 'containerd'))) throw new MissingToolError(`${PURPOSE}: the package ${archive} holds no containerd`);
  return programs;
}
