import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { createApplications, NAMESPACE, nameOf } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from '../bench/canary-watch.ts';
import type { Raw } from '../fakes/raw.ts';
import { type ControllerRun, startProgram } from './controller.ts';
import { settled } from './settled.ts';
import { world } from './world.ts';

export const LAB_BOUND_MS = 90_000;

/** Configs that the pods of every application in the lab read. */
const env = [{ name: 'P', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }];
const envFrom = [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'regcred', optional: true } }];

/** Applications without pods that read a ConfigMap, a Secret, and one of a type that is not tracked; requests are counted. */
export class ConfigLab {
  readonly bare: BareCluster;
  readonly #watch: CanaryWatch;
  readonly #folder = mkdtempSync(join(tmpdir(), 'serin-config-lab-'));
  readonly #controllers: ControllerRun[] = [];
  readonly #canaries: number;

  private constructor(bare: BareCluster, canaries: number) {
    this.bare = bare;
    this.#watch = watchCanaries(bare.cluster, world().clock);
    this.#canaries = canaries;
  }

  static async begin(
    canaries: number,
    configs: readonly ('settings' | 'db' | 'regcred')[] = ['settings', 'db', 'regcred'],
  ): Promise<ConfigLab> {
    const lab = new ConfigLab(await startBareCluster({ world: world() }), canaries);
    await createApplications(lab.bare.cluster, canaries, 'istio');
    if (configs.includes('settings')) await lab.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
    if (configs.includes('db')) await lab.config('Secret', 'db', { type: 'Opaque', data: { password: 'czNjcmV0' } });
    if (configs.includes('regcred'))
      await lab.config('Secret', 'regcred', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e30=' } });
    for (let index = 0; index < canaries; index += 1) {
      await lab.bare.cluster.patch(lab.deployment(index), [
        { op: 'add', path: '/spec/template/spec/containers/0/envFrom', value: envFrom },
        { op: 'replace', path: '/spec/template/spec/containers/0/env', value: env },
      ]);
    }
    return lab;
  }

  async end(): Promise<void> {
    for (const each of this.#controllers) await each.stop('TERM');
    this.#watch.stop();
    await this.bare.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  deployment(index: number, suffix = ''): ObjectRef {
    return { apiVersion: 'apps/v1', kind: 'Deployment', name: `${nameOf(index)}${suffix}`, namespace: NAMESPACE };
  }

  canary(index: number): ObjectRef {
    return { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: nameOf(index), namespace: NAMESPACE };
  }

  config(kind: string, name: string, content: object): Promise<KubeObject> {
    return this.bare.cluster.apply({ apiVersion: 'v1', kind, metadata: { name, namespace: NAMESPACE }, ...content });
  }

  startController(name: string, flags: readonly string[] = []): ControllerRun {
    const fixed = ['--port=0', '--min-analysis-interval=1s', '--scale-down-delay=1s', `--kubeconfig=${this.bare.kubeconfigFile}`];
    const started = startProgram([...fixed, ...flags], join(this.#folder, `${name}.log`));
    this.#controllers.push(started);
    return started;
  }

  requests(): Record<string, number> {
    return this.bare.requestCounts('serin-controller');
  }

  /** Resolves when the controller has sent nothing for longer than a sentence may wait to be written (E55: one interval). */
  settled(): Promise<Record<string, number>> {
    return settled(() => this.requests(), 2_000, LAB_BOUND_MS);
  }

  async canariesAre(what: string, isSo: (canary: KubeObject) => boolean): Promise<void> {
    await this.#watch.until(this.#canaries, what, isSo, LAB_BOUND_MS);
  }

  initialized(): Promise<void> {
    return this.canariesAre('are initialized', ({ status }: Raw) => status?.phase === 'Initialized');
  }
}
