import { createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refOf } from '../../src/api/kube-object.ts';
import { networkOn } from '../../src/embedded/network.ts';
import { type RealCluster, startRealCluster } from '../e2e/real-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { eventually } from '../scenarios/eventually.ts';
import { PROXY_PLACES, proxyRows, type ServicePod, serviceOf } from '../scenarios/service-proxy.ts';
import { ADDRESSES } from './ground.ts';
import { type KubeProxy, type ProxyMode, startKubeProxy } from './kube-proxy.ts';

const NAMESPACE = 'default';
const POD_PORT = 8080;
/** The chance that one of three equal pods is never chosen is (2/3)^60 = 3e-11. */
const REQUESTS = 60;
const CHANGES = 10;
/** A packet to a Service that has no rules yet leaves an entry with the kernel for two minutes: a later connection from its port would hang. */
const WAITING = '10.244.251.1';
/** Each connection leaves an entry for minutes where the kernel tracks them, and their number is limited. */
const BETWEEN_MS = 5;
/** Rules that drop packets give no answer. */
const NO_ANSWER_MS = 1_000;
const LATE_MS = 30_000;

let real: RealCluster;
/** The slow request has come to a pod. */
let slowArrived = Promise.withResolvers<void>();
let pods: { close(now?: boolean): Promise<void> };

/** One program serves the addresses of all pods, and answers with the address that a request was sent to. */
beforeAll(async () => {
  real = await startRealCluster({ serverFlags: [`--advertise-address=${ADDRESSES.apiServer}`] });
  for (const { node, zone } of PROXY_PLACES) {
    const metadata = { name: node, labels: { 'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': node } };
    const made = await real.cluster.create({ apiVersion: 'v1', kind: 'Node', metadata });
    const addresses = [{ type: 'InternalIP', address: ADDRESSES.client }];
    await real.cluster.patch(
      { apiVersion: 'v1', kind: 'Node', name: made.metadata.name },
      { status: { addresses } },
      { subresource: 'status' },
    );
  }
  const server = createServer(({ socket, url }, response) => {
    const answer = () => response.end(socket.localAddress);
    if (url === '/slow') {
      slowArrived.resolve();
      setTimeout(answer, 3_000);
    } else answer();
  });
  pods = await networkOn('0.0.0.0').listen(server, POD_PORT);
});
afterAll(async () => {
  await pods?.close(true);
  await real?.stop();
});

interface Question {
  /** Address of the client. */
  from?: string;
  path?: string;
  /** Packets that a rule drops are never answered; on a busy machine others are answered late. */
  patienceMs?: number;
}

/** The pod that answers one new connection, `undefined` if none answers. */
const ask = async (ip: string, question: Question = {}): Promise<string | undefined> => {
  const { answer } = await connect(ip, question);
  return answer;
};

const connect = (
  host: string,
  { from: localAddress = ADDRESSES.client, path = '/', patienceMs = NO_ANSWER_MS }: Question,
): Promise<{ answer?: string; error?: string }> =>
  new Promise((resolve) => {
    const call = request({ host, port: 80, path, localAddress, agent: false, timeout: patienceMs }, (response) => {
      response.setEncoding('utf8');
      response.once('data', (answer: string) => resolve({ answer }));
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${patienceMs} ms`)));
    call.on('error', ({ message }) => resolve({ error: message }));
    call.end();
  });

async function askMany(ip: string, { times = REQUESTS, from = ADDRESSES.client } = {}): Promise<(string | undefined)[]> {
  const answers: (string | undefined)[] = [];
  for (let time = 0; time < times; time += 1) answers.push(await ask(ip, { from }));
  return answers;
}

/** A Service in the cluster, whose pods have addresses of their own. */
async function given(name: string, spec: object, own: readonly ServicePod[], part: number) {
  const { cluster } = real;
  const addressOf = (pod: number) => `10.244.${part}.${pod + 1}`;
  const { service, slice } = serviceOf({ name, namespace: NAMESPACE }, spec, own, addressOf);
  const { clusterIP } = raw(await cluster.create(service)).spec;
  await cluster.create(slice);
  return {
    ip: String(clusterIP),
    addressOf,
    becomes: (pods: readonly ServicePod[]) =>
      cluster.patch(refOf(slice), { endpoints: raw(serviceOf({ name, namespace: NAMESPACE }, spec, pods, addressOf).slice).endpoints }),
  };
}

const [here = { node: '', zone: '' }] = PROXY_PLACES;
const three: readonly ServicePod[] = [here, here, here];
const CLIENTS = Array.from({ length: 20 }, (_, index) => `10.244.250.${index + 1}`);

describe.each<ProxyMode>(['nftables', 'iptables'])('kube-proxy with %s', (mode) => {
  let started = 0;
  const startOn = async (node: string) => {
    started += 1;
    const marker = await given(`${mode}-marker-${started}`, {}, three, 200);
    const proxy = await startKubeProxy(real.adminKubeconfigFile, { node, mode });
    // All rules come in one transaction.
    await eventually(
      'its rules are in effect',
      () => ask(marker.ip, { from: WAITING }),
      (answer) => answer !== undefined,
    );
    return proxy;
  };

  describe.each(PROXY_PLACES)('of node $node in zone $zone', (place) => {
    const rows = proxyRows.map((row, index) => ({ ...row, index })).filter((row) => (row.place ?? here) === place);
    const services = new Map<number, Awaited<ReturnType<typeof given>>>();
    let proxy: KubeProxy;
    beforeAll(async () => {
      for (const { index, spec = {}, pods: own } of rows) services.set(index, await given(`${mode}-${index}`, spec, own, index));
      proxy = await startOn(place.node);
    });
    afterAll(() => proxy?.stop());

    it.each(rows)('$title', async ({ index, goesTo }) => {
      const { ip = '', addressOf = String } = services.get(index) ?? {};
      const wanted = goesTo.map(addressOf);
      if (wanted.length === 0) expect(await askMany(ip, { times: 3 })).toEqual([undefined, undefined, undefined]);
      else expect([...new Set(await askMany(ip))].toSorted()).toEqual(wanted);
    });
  });

  describe('over time', () => {
    let proxy: KubeProxy;
    beforeAll(async () => {
      proxy = await startOn(here.node);
    });
    afterAll(() => proxy?.stop());

    it('a client stays where it is, others go elsewhere, and a client whose pod is gone gets another', async () => {
      const service = await given(`${mode}-kept`, { sessionAffinity: 'ClientIP' }, three, 100);
      const all = three.map((_, pod) => service.addressOf(pod));
      await eventually(
        'it answers',
        () => ask(service.ip, { from: WAITING }),
        (answer) => answer !== undefined,
      );
      const firsts: (string | undefined)[] = [];
      for (const from of CLIENTS) {
        const [first, ...later] = await askMany(service.ip, { times: 5, from });
        expect(later).toEqual(later.map(() => first));
        firsts.push(first);
      }
      expect([...new Set(firsts)].toSorted()).toEqual(all);
      const lost = CLIENTS[firsts.indexOf(all[0])] ?? '';
      await service.becomes(three.map((pod, index) => (index === 0 ? { ...pod, is: 'starting' } : pod)));
      await eventually(
        'another pod answers',
        () => ask(service.ip, { from: lost }),
        (answer) => answer !== undefined && answer !== all[0],
      );
    });

    it('after the time of the affinity without a request a client is free again', async () => {
      const timed = { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 2 } } };
      const { ip } = await given(`${mode}-timed`, timed, three, 101);
      await eventually(
        'it answers',
        () => ask(ip, { from: WAITING }),
        (answer) => answer !== undefined,
      );
      const places = async () => {
        const found: (string | undefined)[] = [];
        for (const from of CLIENTS) found.push(await ask(ip, { from }));
        return found;
      };
      const before = await places();
      expect(await places()).toEqual(before);
      await sleep(5_000);
      // The chance that all of them come to the same pod again is (1/3)^20.
      expect(await places()).not.toEqual(before);
    });

    it('a request that is under way at a pod that goes is answered by it, and no new one comes', async () => {
      const service = await given(`${mode}-leaving`, {}, [here], 102);
      await eventually(
        'it answers',
        () => ask(service.ip, { from: WAITING }),
        (answer) => answer !== undefined,
      );
      slowArrived = Promise.withResolvers();
      const slow = ask(service.ip, { path: '/slow', patienceMs: LATE_MS });
      await slowArrived.promise;
      await service.becomes([{ ...here, is: 'closed' }]);
      await eventually(
        'no new request is answered',
        () => ask(service.ip),
        (answer) => answer === undefined,
      );
      expect(await slow).toBe(service.addressOf(0));
    });

    it('a change is in effect soon, and at no moment is a client without an answer', async () => {
      const service = await given(`${mode}-changed`, {}, [here, { ...here, is: 'starting' }], 103);
      await eventually(
        'it answers',
        () => ask(service.ip, { from: WAITING }),
        (answer) => answer !== undefined,
      );
      const lags: number[] = [];
      const lost: string[] = [];
      for (let change = 1; change <= CHANGES; change += 1) {
        const wanted = service.addressOf(change % 2);
        await service.becomes([0, 1].map((pod) => (pod === change % 2 ? here : { ...here, is: 'starting' })));
        const fromMs = performance.now();
        for (let answer: string | undefined; answer !== wanted; ) {
          const found = await connect(service.ip, { patienceMs: LATE_MS });
          if (found.error !== undefined) lost.push(found.error);
          answer = found.answer;
          await sleep(BETWEEN_MS);
        }
        lags.push(performance.now() - fromMs);
      }
      const sorted = lags.toSorted((a, b) => a - b);
      const [median, most] = [sorted[CHANGES / 2] ?? 0, sorted.at(-1) ?? 0];
      console.info(`${mode}: ${CHANGES} changes took ${median.toFixed(0)} ms (median), ${most.toFixed(0)} ms (most)`);
      expect(lost).toEqual([]);
    });
  });
});
