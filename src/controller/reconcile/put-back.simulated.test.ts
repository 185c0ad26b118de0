import { describe, expect, it, vi } from 'vitest';
import { APP, aModelCanary, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { initializedLab } from '../../../test/fakes/model/released.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const INTERVAL_MS = 30_000;
const LOOK_MS = 250;
const serviceRef: ObjectRef = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE };
const routeRef: ObjectRef = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name: APP, namespace: NAMESPACE };

/** A tool that syncs again and again, and puts the spec of an object back to that of its manifest. */
class Tool {
  readonly #lab: ModelLab;
  readonly #ref: ObjectRef;
  readonly #spec: Raw;
  /** Times at which the object was as the manifest has it, in milliseconds of the lab's clock. */
  readonly asInManifestMs: number[] = [];

  constructor(lab: ModelLab, ref: ObjectRef, spec: object) {
    this.#lab = lab;
    this.#ref = ref;
    this.#spec = spec;
  }

  get isAsInManifest(): boolean {
    return JSON.stringify(this.#declared()) === JSON.stringify(raw(this.#lab.server.find(this.#ref))?.spec);
  }

  sync(): void {
    const live = this.#lab.server.find(this.#ref);
    if (!live) return;
    const { managedFields: _, ...metadata } = live.metadata;
    this.#lab.server.putAs('argocd-controller', { ...this.#ref, metadata, spec: this.#declared() } as KubeObject);
  }

  /** Syncs as soon as the object is another one. */
  async syncFor(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += LOOK_MS) {
      if (!this.isAsInManifest) this.sync();
      this.asInManifestMs.push(this.#lab.clock.monotonicMs());
      await this.#lab.pass(LOOK_MS);
      if (!this.isAsInManifest) this.asInManifestMs.push(Number.NaN);
    }
  }

  #declared(): Raw {
    return { ...raw(this.#lab.server.find(this.#ref))?.spec, ...this.#spec };
  }
}

/** The longest time without a correction. */
function longestMs(times: readonly number[]): number {
  let from = times[0] ?? 0;
  let longest = 0;
  for (const [index, ms] of times.entries()) {
    if (Number.isNaN(ms)) from = times[index + 1] ?? from;
    else longest = Math.max(longest, ms - from);
  }
  return longest;
}

const weight = (lab: ModelLab): number => raw(lab.canary())?.status?.canaryWeight ?? 0;
const conditions = (lab: ModelLab): { type: string; message: string }[] => raw(lab.canary())?.status?.conditions ?? [];

describe('a tool that puts the manifest of its user back', () => {
  it('leaves users without the primary for 2 s at most each time, where it leads a Service to the target', async () => {
    const lab = await initializedLab();
    const tool = new Tool(lab, serviceRef, { selector: { app: APP } });
    await tool.syncFor(600_000);
    expect(longestMs(tool.asInManifestMs)).toBeLessThanOrEqual(3_000);
  });

  // Helm writes the Service before the Deployment: other writes meanwhile must not delay its correction.
  it.each([0, 250, 500, 1_000, 1_500, 2_250])('leaves them so for no longer where it pushes a version as well (%d ms)', async (laterMs) => {
    const lab = await initializedLab();
    const tool = new Tool(lab, serviceRef, { selector: { app: APP } });
    await tool.syncFor(5_000 + laterMs);
    lab.push('2');
    await tool.syncFor(120_000);
    expect(longestMs(tool.asInManifestMs)).toBeLessThanOrEqual(3_000);
    expect(raw(lab.canary())?.status?.phase).not.toBe('Initialized');
  });

  it('holds a release where it leads a route of the user’s past the split, and the time under it does not count', async () => {
    const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 0, plan: 0, hasService: true });
    await lab.application(true);
    const route = {
      parentRefs: [{ name: 'public', namespace: 'edge' }],
      rules: [{ backendRefs: [{ group: '', kind: 'Service', name: APP, port: 80, weight: 1 }] }],
    };
    lab.server.create({ ...refObject(routeRef), spec: route } as KubeObject);
    lab.server.create(
      aModelCanary(
        { stepWeight: 10, maxWeight: 50, interval: '30s' },
        { provider: 'gatewayapi:v1', service: { port: 80, targetPort: 'http', gatewayRefs: [{ name: 'public', namespace: 'edge' }] } },
      ),
    );
    lab.start();
    expect(await lab.passUntil(() => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0, 300_000)).toBe(
      true,
    );
    lab.push('2');
    expect(await lab.passUntil(() => weight(lab) === 10, 300_000)).toBe(true);
    const tool = new Tool(lab, routeRef, { rules: route.rules });
    await tool.syncFor(120_000);
    // The manifest wins over the recorded weight.
    expect(tool.isAsInManifest).toBe(true);
    expect(weight(lab)).toBe(0);
    expect(raw(lab.canary())?.status?.release?.routes).toMatchObject({ canary: expect.anything() });
    const contested = conditions(lab).find(({ type }) => type === 'Contested')?.message;
    expect(contested).toContain('HTTPRoute/test/podinfo: spec.rules is changed back by argocd-controller');
    // The writer, with the lines that end it.
    expect(contested).toContain(
      'Argo CD applies it; to end this: in the Application, spec.ignoreDifferences: [{group: gateway.networking.k8s.io, kind: HTTPRoute',
    );
    // It stops; the step is still the first one, and lasts for a whole interval from the correction on.
    expect(await lab.passUntil(() => !tool.isAsInManifest, 600_000)).toBe(true);
    const correctedMs = lab.clock.monotonicMs();
    expect(await lab.passUntil(() => weight(lab) > 10, 300_000)).toBe(true);
    expect(weight(lab)).toBe(20);
    expect(lab.clock.monotonicMs() - correctedMs).toBeGreaterThanOrEqual(INTERVAL_MS);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 900_000)).toBe(true);
  });
});

const refObject = ({ apiVersion, kind, name, namespace }: ObjectRef) => ({ apiVersion, kind, metadata: { name, namespace } });
