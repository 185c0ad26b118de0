import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPLIERS, appliersOfE2e } from '../../scripts/e2e-appliers.ts';
import { apexGuardObjects } from '../../scripts/kustomize/manifests.ts';
import { guardAnnotation } from '../../src/api/names.ts';
import type { WatchHandle } from '../../src/kube/cluster.ts';
import { entriesOf } from '../../src/kube/taken-over-fields.ts';
import type { Applier } from '../appliers/applier.ts';
import { canary, manifests, refOfSubject, type Shop } from '../appliers/shop.ts';
import { argo, helm, kubectl } from '../appliers/tools/command-line.ts';
import { type Flux, startFlux } from '../appliers/tools/flux.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { type HookServer, startHookServer } from '../scenarios/hook-server.ts';
import { canaryRef } from '../scenarios/troubles/objects.ts';
import { until } from '../scenarios/until.ts';

const MOST_REPLACES = 10;
const BOUND = { boundMs: 240_000 };
/** Ways of applying by each program. */
const WAYS = {
  kubectl: ['kubectl', 'kubectl-ssa', 'kubectl-force', 'kubectl-replace'],
  'helm-4': ['helm-4'],
  'helm-3': ['helm-3'],
  argo: ['argo', 'argo-ssa', 'argo-replace'],
  flux: ['flux'],
} as const;
const programs = appliersOfE2e();
const TOOLS: readonly string[] = programs.flatMap((program) => WAYS[program]);

/** Serin, the policy and each tool on a real control plane: every version of the Service is seen by a watch. */
describe(`tools that apply a manifest, with the apex guard (${programs.join(', ')})`, () => {
  const environment = anEnvironment(() => startRealEnvironment({ lagMs: [20, 100] }));
  const folder = mkdtempSync(join(tmpdir(), 'serin-guard-'));
  const shopOf = (id: string): Shop => ({ subject: 'Service', namespace: id });
  const appliers = new Map<string, Applier>();
  /** Selectors of each Service since it was marked. */
  const seen = new Map<string, string[]>();
  const watches: WatchHandle[] = [];
  let controller: ControllerProcess;
  let hooks: HookServer;
  let flux: Flux | undefined;

  const all = (one: (id: string) => Promise<unknown>) => Promise.all(TOOLS.map(one));
  const serviceOf = async (id: string): Promise<Raw> => raw(await environment().cluster.get(refOfSubject(shopOf(id))));
  const apply = async (id: string, version: string, tries = 1): Promise<string> => {
    const { isApplied, said } = (await appliers.get(id)?.apply(id, manifests(shopOf(id), version))) ?? {
      isApplied: false,
      said: 'no tool',
    };
    // `kubectl replace`, and Argo CD's `Replace=true`, read, then write with that resourceVersion. The Deployment's controller can update the status in between; the user tries again.
    const isOvertaken = id.endsWith('-replace') && /(Conflict\b|cannot be fulfilled on).*\bdeployments\.apps/s.test(said);
    if (isOvertaken && tries < MOST_REPLACES) return apply(id, version, tries + 1);
    return isApplied ? 'applied' : said;
  };
  const isIn = (id: string, phase: string) =>
    until(environment().cluster, canaryRef(id, 'shop'), `is ${phase}`, (now) => raw(now)?.status?.phase === phase, BOUND);
  const twice = async (version: string): Promise<void> => {
    await all(async (id) => {
      for (const time of ['first', 'second']) expect([id, time, await apply(id, version)]).toEqual([id, time, 'applied']);
    });
    for (const id of TOOLS) {
      const { metadata, spec } = await serviceOf(id);
      const owners = entriesOf({ apiVersion: 'v1', kind: 'Service', metadata }).filter(
        ({ fieldsV1 }: Raw) => fieldsV1['f:spec']?.['f:selector'] !== undefined,
      );
      expect([id, spec.selector, metadata.annotations[guardAnnotation], owners]).toEqual([id, { app: 'shop-primary' }, metadata.uid, []]);
      expect([id, [...new Set(seen.get(id))]]).toEqual([id, ['shop-primary']]);
    }
  };

  beforeAll(async () => {
    const { cluster, adminKubeconfigFile } = environment();
    for (const object of apexGuardObjects()) await cluster.apply(object);
    hooks = await startHookServer();
    const line = { kubeconfig: adminKubeconfigFile, folder };
    const named = (id: string) => ({ id, name: id });
    const force = ['--server-side', '--force-conflicts', '--field-manager=another'];
    const known: Readonly<Record<keyof typeof WAYS, (path: string) => Applier[] | Promise<Applier[]>>> = {
      kubectl: (path) => [
        kubectl(path, line, named('kubectl'), []),
        kubectl(path, line, named('kubectl-ssa'), ['--server-side']),
        kubectl(path, line, named('kubectl-force'), force),
        kubectl(path, line, named('kubectl-replace'), [], 'replace'),
      ],
      'helm-4': (path) => [helm(path, line, named('helm-4'), [])],
      'helm-3': (path) => [helm(path, line, named('helm-3'), [])],
      argo: (path) => [
        argo(path, line, named('argo')),
        argo(path, line, named('argo-ssa'), { options: 'ServerSideApply=true' }),
        argo(path, line, named('argo-replace'), { options: 'Replace=true' }),
      ],
      flux: async (path) => {
        flux = await startFlux(path, cluster, line);
        return [flux.applier(named('flux'))];
      },
    };
    for (const program of programs)
      for (const applier of await known[program](await APPLIERS[program]())) appliers.set(applier.id, applier);
    expect([...appliers.keys()]).toEqual(TOOLS);
    controller = startController(environment(), { 'scale-down-delay': '1s' });
    await all(async (id) => {
      await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
      hooks.answers(id, 403);
      if (id === 'kubectl-replace') for (const object of manifests(shopOf(id), '1')) await cluster.create(object);
      // A new Kustomization has no condition yet.
      else if (id === 'flux') await apply(id, '1');
      else expect([id, await apply(id, '1')]).toEqual([id, 'applied']);
      await cluster.apply(canary(shopOf(id), hooks.url(id)), { fieldManager: 'platform' });
      await isIn(id, 'Initialized');
      const hear = ({ metadata, spec }: Raw) => {
        if (metadata.name !== 'shop' || metadata.annotations?.[guardAnnotation] === undefined) return;
        seen.set(id, [...(seen.get(id) ?? []), spec.selector.app]);
      };
      const kind = { apiVersion: 'v1', kind: 'Service', namespace: id };
      const watch = cluster.watch(kind, {
        onEvent: ({ object }) => hear(raw(object)),
        onList: (items) => {
          for (const one of items) hear(raw(one));
        },
      });
      watches.push(watch);
      await watch.synced;
    });
  }, 600_000);
  afterAll(async () => {
    for (const watch of watches) watch.stop();
    await flux?.stop();
    await controller?.stop();
    await hooks?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('each succeeds twice while the Canary is idle, and the selector never leaves the primary', () => twice('1'));

  it('the same while Serin is down, with a new version, which Serin releases when it is back', async () => {
    await controller.stop();
    await twice('2');
    controller = startController(environment(), { 'scale-down-delay': '1s' }, controller.logFile);
    await all((id) => isIn(id, 'WaitingPromotion'));
  });

  it('the same in the middle of the release, which ends', async () => {
    await twice('2');
    for (const id of TOOLS) hooks.answers(id, 200);
    await all((id) => isIn(id, 'Succeeded'));
  });

  it('when the Canary is deleted, the Service is the tool’s again', async () => {
    const { cluster } = environment();
    await all((id) => cluster.delete(canaryRef(id, 'shop')));
    // While it restores the application, Serin can write the Service again, between the read and the write of a replace. The primary goes at the end.
    const primary = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop-primary' };
    await all((id) => until(cluster, { ...primary, namespace: id }, 'is gone', (now) => now === undefined, BOUND));
    await all(async (id) => expect([id, await apply(id, '3')]).toEqual([id, 'applied']));
    for (const id of TOOLS) {
      const { metadata, spec } = await serviceOf(id);
      expect([id, metadata.annotations?.[guardAnnotation], spec.selector]).toEqual([id, undefined, { app: 'shop' }]);
    }
  });
});
