import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { eventually } from '../scenarios/eventually.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';

export interface FarNode {
  /** Begins a command that runs at this node. */
  readonly enter: readonly string[];
  /** Its address, which the tier's own network namespace reaches. */
  readonly address: string;
  /** Its end of the cable. */
  readonly device: string;
  readonly kubeconfigFile: string;
  stop(): Promise<void>;
}

/** The tier's own network namespace, as the node sees it. */
const HERE = '10.245.0.1';
const THERE = '10.245.0.2';
const DEVICE = 'serin-there';
/** Destinations on the other end of the cable: pods, and addresses of the other nodes. */
const ROUTED = ['10.244.0.0/16', '10.0.0.0/24'];
const SECONDS_AT_MOST = '3600';

/** A node in its own network namespace, joined to that of the tier by a virtual cable: its packets pass its own kernel's rules first. */
export async function startFarNode(kubeconfigFile: string): Promise<FarNode> {
  const folder = mkdtempSync(join(tmpdir(), 'serin-node-'));
  const pidFile = join(folder, 'pid');
  const node = startGuarded(
    'node',
    ['unshare', '--net', 'sh', '-c', 'echo $$ >"$1"; exec sleep "$2"', 'sh', pidFile, SECONDS_AT_MOST],
    join(folder, 'log'),
  );
  const readPid = () => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim() : '');
  const pid = await eventually('the node has a network namespace', readPid, (text) => text !== '');
  const enter = ['nsenter', '--target', pid, '--net'];
  const run = ([command = '', ...args]: readonly string[]) => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  run(['ip', 'link', 'add', 'serin-here', 'type', 'veth', 'peer', 'name', DEVICE, 'netns', pid]);
  run(['ip', 'address', 'add', `${HERE}/30`, 'dev', 'serin-here']);
  run(['ip', 'link', 'set', 'serin-here', 'up']);
  run([...enter, 'ip', 'link', 'set', 'lo', 'up']);
  run([...enter, 'ip', 'address', 'add', `${THERE}/30`, 'dev', DEVICE]);
  run([...enter, 'ip', 'link', 'set', DEVICE, 'up']);
  for (const range of ROUTED) run([...enter, 'ip', 'route', 'add', range, 'via', HERE]);
  const kubeconfig = parse(readFileSync(kubeconfigFile, 'utf8'));
  const [{ cluster }] = kubeconfig.clusters;
  const { hostname, port } = new URL(cluster.server);
  const door = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    socket.pipe(onward).pipe(socket);
    for (const [one, other] of [[socket, onward] as const, [onward, socket] as const]) one.on('error', () => other.destroy());
  });
  await new Promise<void>((resolve, reject) => door.once('error', reject).listen(0, HERE, resolve));
  cluster.server = `https://${HERE}:${(door.address() as AddressInfo).port}`;
  cluster['tls-server-name'] = hostname;
  const ownKubeconfig = join(folder, 'kubeconfig');
  writeFileSync(ownKubeconfig, stringify(kubeconfig), { mode: 0o600 });
  return {
    enter,
    ...{ address: THERE, device: DEVICE },
    kubeconfigFile: ownKubeconfig,
    async stop() {
      // The cable is deleted with the namespace; all programs in it have ended before.
      await node.stop();
      door.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
