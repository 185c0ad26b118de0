import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { versionOf } from './applications.ts';
import { givenNode } from './given-node.ts';
import { administrator } from './installed.ts';
import { processesIn } from './real-node.ts';
import { staleEntry } from './stale-entry.ts';
import { ranCommand } from './started.ts';

const NAMESPACE = 'plain';
/** Below the range from which the kernel chooses ports. */
const PORT = 30_001;
const OTHER_PORTS = Array.from({ length: 20 }, (_, at) => PORT + 1 + at);
const REQUEST = 'GET / HTTP/1.1\r\nhost: shop\r\n\r\n';

const node = givenNode('application');
const kubectl = (...args: string[]) => node().kubectl(...args, '-n', NAMESPACE);

/** A pod and Services, without Serin. */
const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: NAMESPACE, labels: { app: 'shop' } },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'serin.test/application:1',
        imagePullPolicy: 'Never',
        env: [{ name: 'VERSION', value: name }],
        readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 },
      },
    ],
  },
});
const service = (name: string, app: string, targetPort: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: NAMESPACE },
  spec: { selector: { app }, ports: [{ port: 80, targetPort }] },
});
const addressOf = (name: string) => kubectl('get', 'service', name, '-o', 'jsonpath={.spec.clusterIP}');

/** Connects from this port, or from a port that the kernel chooses. Fails with the code of the refusal. */
function connected(host: string, localPort = 0): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: 80, localPort }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** The name of the pod that answers one more request of this connection. */
async function answerOf(socket: Socket): Promise<string> {
  socket.write(REQUEST);
  const [text] = await new Promise<Buffer[]>((resolve, reject) => socket.once('data', (...data) => resolve(data)).once('error', reject));
  return versionOf(String(text).split('\r\n\r\n')[1] ?? '');
}

beforeAll(async () => {
  await administrator(node()).apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    pod('old'),
    service('shop', 'shop', 8080),
    service('closed', 'shop', 9),
    service('empty', 'none', 8080),
  );
  await kubectl('wait', 'pod/old', '--for=condition=Ready', '--timeout=60s');
});

describe('without Serin', () => {
  it('a port whose connection a killed pod has reset leads to that pod, which refuses it; no other port does', async () => {
    const shop = await addressOf('shop');
    await expect.poll(() => connected(shop).then(answerOf), { timeout: 30_000 }).toBe('old');
    const { podIP, containerId } = await where('old');
    // It answers a request on a connection. Then it leaves the Service in order, and another pod takes its place.
    const held = await connected(shop, PORT);
    expect(await answerOf(held)).toBe('old');
    await administrator(node()).apply(pod('new'));
    await kubectl('wait', 'pod/new', '--for=condition=Ready', '--timeout=60s');
    await kubectl('delete', 'pod', 'old', '--wait=false');
    await expect.poll(() => ranCommand('iptables-save', ['-t', 'nat']), { timeout: 30_000 }).not.toContain(`${podIP}:8080`);
    // The sandbox of a pod outlives its processes for a moment, and for as long as the kubelet is halted.
    node().kubelet.send('STOP');
    const processes = await processesIn(containerId);
    expect(processes).not.toEqual([]);
    const reset = new Promise<NodeJS.ErrnoException>((resolve) => held.once('error', resolve));
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
      for (const pid of processes) process.kill(pid, signal);
      if (signal === 'SIGSTOP') await new Promise((resolve) => held.write(REQUEST, resolve));
    }
    expect((await reset).code).toBe('ECONNRESET');
    await expect(connected(shop, PORT)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await staleEntry(shop, PORT)).toBe(podIP);
    const answered = await Promise.all(OTHER_PORTS.map(async (port) => answerOf(await connected(shop, port))));
    expect(new Set(answered)).toEqual(new Set(['new']));
    node().kubelet.send('CONT');
  });

  it.each([
    { name: 'closed', what: 'whose pods do not listen' },
    { name: 'empty', what: 'without pods' },
  ])('a Service $what refuses a port of which the kernel knows nothing', async ({ name }) => {
    const address = await addressOf(name);
    for (const port of [PORT, PORT + 1]) {
      await expect(connected(address, port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      expect(await staleEntry(address, port)).toBeUndefined();
    }
  });
});

async function where(name: string): Promise<{ podIP: string; containerId: string }> {
  const status = await kubectl('get', 'pod', name, '-o', 'jsonpath={.status.podIP} {.status.containerStatuses[0].containerID}');
  const [podIP = '', container = ''] = status.split(' ');
  return { podIP, containerId: container.replace('containerd://', '') };
}
