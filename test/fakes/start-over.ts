import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { ControllerConfig } from '../../src/controller/config.ts';
import { startController } from '../../src/controller/controller.ts';
import { createControllerMetrics } from '../../src/controller/telemetry/controller-metrics.ts';
import { definition } from '../../src/embedded/definition.ts';
import { handClock } from './clock.ts';
import { ModelClient } from './model/client.ts';
import { calm } from './model/lab.ts';
import { ModelServer } from './model/server.ts';
import { type Raw, raw } from './raw.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const metrics = createControllerMetrics('test');
/** Longer than every pause, deadline and delay of an idle controller. */
const WATCHED_MS = 1_200_000;

/** Starts this version over the objects, lets time pass, and returns its writes. */
export async function startOver(applications: readonly (readonly KubeObject[])[], edit: (server: ModelServer) => void = () => undefined) {
  const clock = handClock(Date.UTC(2030, 0, 1));
  const server = new ModelServer(clock);
  const crds = parseAllDocuments(readFileSync(new URL('../fixtures/crds/knative.yaml', import.meta.url), 'utf8'));
  for (const crd of crds) if (crd.toJS() !== null) server.create(crd.toJS() as KubeObject);
  for (const crd of meshCrds()) server.create(crd);
  for (const objects of applications) {
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: objects[0]?.metadata.namespace ?? '' } });
    for (const object of objects) server.restore(object);
  }
  edit(server);
  await calm(server);
  const before = server.api.store.version;
  const client = new ModelClient(server, { clock, latencyMs: () => 5 });
  const config = ControllerConfig.parse({ minAnalysisIntervalMs: 100, scaleDownDelayMs: 200 });
  const controller = startController({ config, cluster: client, clock, random: () => 0.5, log: silent, metrics });
  for (let ms = 0; ms < WATCHED_MS; ) {
    const stepMs = Math.min(WATCHED_MS - ms, clock.nextInMs ?? Number.POSITIVE_INFINITY);
    clock.advance(stepMs);
    ms += stepMs;
    await calm(server);
  }
  await controller.started;
  const phases = server.api.store.list('flagger.app/canaries').map(([, { status }]: Raw) => status?.phase);
  const runs = server.api.store.list('flagger.app/canaries').map(([, { status }]: Raw) => status?.release.run);
  const writes = client.writes.map(
    ({ verb, ref, subresource, body }) => `${verb} ${ref.kind}/${subresource} ${ref.name}: ${JSON.stringify(body)}`,
  );
  const wrote = { writes, changes: server.api.store.version - before };
  await controller.stop();
  client.close();
  server.stop();
  return { ...wrote, phases, runs };
}

/** Definitions of meshes that have no data plane here. */
function meshCrds(): KubeObject[] {
  const appMesh = ['VirtualNode', 'VirtualRouter', 'VirtualService'].map((kind) =>
    definition('appmesh.k8s.aws', kind, `${kind.toLowerCase()}s`, ['v1beta2', 'v1beta1']),
  );
  const kuma = definition('kuma.io', 'TrafficRoute', 'trafficroutes', ['v1alpha1']);
  return [...appMesh, { ...kuma, spec: { ...raw(kuma).spec, scope: 'Cluster' } }];
}
