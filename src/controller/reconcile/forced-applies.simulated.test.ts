import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import { internalWrite } from '../../embedded/apiserver/write-context.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const kinds: Record<string, { provider: string; service?: object; apiVersion: string; specOf(...prefixes: string[]): object }> = {
  VirtualService: {
    provider: 'istio',
    apiVersion: 'networking.istio.io/v1beta1',
    specOf: (...prefixes) => ({
      hosts: [APP],
      http: [
        ...prefixes.map((prefix) => ({ match: [{ uri: { prefix } }], route: [{ destination: { host: 'static' } }] })),
        { route: [{ destination: { host: APP } }] },
      ],
    }),
  },
  HTTPRoute: {
    provider: 'gatewayapi:v1',
    service: { gatewayRefs: [{ name: 'public', namespace: 'edge' }] },
    apiVersion: 'gateway.networking.k8s.io/v1',
    specOf: (...prefixes) => ({
      parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'public', namespace: 'edge' }],
      rules: [
        ...prefixes.map((value) => ({ matches: [{ path: { type: 'PathPrefix', value } }], backendRefs: [{ name: 'static', port: 80 }] })),
        { backendRefs: [{ name: APP, port: 80 }] },
      ],
    }),
  },
};
const conditionsOf = (lab: ModelLab): Raw[] => raw(lab.canary())?.status?.conditions ?? [];
const announced = (lab: ModelLab): number =>
  lab.server.api.store
    .list('/events')
    .map(([, event]) => raw(event))
    .reduce((sum, { reason, count = 1 }) => sum + (reason === 'DriftCorrected' ? count : 0), 0);

it.each(Object.keys(kinds))(
  'each correction of a %s of the user’s that a tool applies by force is an event, or stands in the condition',
  async (kind) => {
    const { provider, service, apiVersion, specOf } = kinds[kind] as (typeof kinds)[string];
    const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
    await lab.application(true);
    const ref = { apiVersion, kind, name: APP, namespace: NAMESPACE };
    const apply = (manager: string, ...prefixes: string[]) => {
      const manifest = { apiVersion, kind, metadata: { name: APP, namespace: NAMESPACE }, spec: specOf(...prefixes) };
      const context = { ...internalWrite, manager, fieldManager: manager, force: true };
      lab.server.api.patch(lab.server.resource(apiVersion, kind), NAMESPACE, APP, 'apply', manifest as never, context);
    };
    apply('kubectl');
    lab.server.create(
      aModelCanary({ stepWeight: 25, maxWeight: 50, interval: '30s' }, { provider, service: { port: 80, targetPort: 'http', ...service } }),
    );
    lab.start();
    const isIdle = () => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;
    expect(await lab.passUntil(isIdle, 300_000)).toBe(true);
    await lab.pass(30_000);
    expect(announced(lab)).toBe(0);

    const isSplit = () => JSON.stringify(lab.server.find(ref)?.spec).includes(`${APP}-primary`);
    const isContested = () => conditionsOf(lab).some(({ type }) => type === 'Contested');
    /** Events of one correction, and the condition after it. */
    const newsOf = async (...applied: Parameters<typeof apply>) => {
      const before = announced(lab);
      apply(...applied);
      expect(isSplit()).toBe(false);
      await lab.pass(12_000);
      expect(isSplit()).toBe(true);
      return { events: announced(lab) - before, isContested: isContested() };
    };
    const weighs = async (weight: number) => {
      const isReached = await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === weight, 300_000);
      await lab.pass(10_000);
      return isReached;
    };
    const once = { events: 1, isContested: false };
    expect(await newsOf('other')).toEqual(once);
    expect(await newsOf('other')).toEqual({ events: 0, isContested: true });
    lab.push('2');
    expect(await weighs(25)).toBe(true);
    expect(await newsOf('other')).toEqual(once);
    expect(await weighs(50)).toBe(true);
    expect(await newsOf('other')).toEqual(once);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 900_000)).toBe(true);
    await lab.pass(30_000);
    expect(await newsOf('other')).toEqual(once);
    // The manifest has another rule: the user's own content, and the split is gone all the same.
    expect(await newsOf('other', '/x')).toEqual(once);
    expect(await newsOf('other', '/x', '/y')).toEqual(once);

    // After an edit that leaves the split there is nothing to correct.
    const quiet = announced(lab);
    const live = raw(lab.server.find(ref)).spec;
    const list = kind === 'HTTPRoute' ? 'rules' : 'http';
    lab.server.patch(ref, { spec: { [list]: live[list].slice(1) } });
    lab.push('3');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 900_000)).toBe(true);
    expect(announced(lab)).toBe(quiet);
  },
);
