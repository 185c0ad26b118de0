import { type KubeObject, type ObjectRef, refOf } from '../../src/api/kube-object.ts';
import { definition } from '../../src/embedded/definition.ts';
import { Backup, type Restore, restoreInto } from '../fakes/model/backup.ts';
import { canaryRef, namespaceRef, targetRef } from '../fakes/model/lab.ts';
import type { ModelServer } from '../fakes/model/server.ts';
import { raw } from '../fakes/raw.ts';
import { meaningOf, type Removal } from './disasters.ts';
import type { Life } from './life.ts';
import type { Acted } from './world.ts';

type Pass = (ms: number) => Promise<void>;

const MESH: Readonly<Record<string, readonly string[]>> = {
  istio: ['virtualservices.networking.istio.io', 'destinationrules.networking.istio.io'],
  'smi:v1alpha2': ['trafficsplits.split.smi-spec.io'],
  'appmesh:v1beta2': ['virtualservices.appmesh.k8s.aws', 'virtualrouters.appmesh.k8s.aws', 'virtualnodes.appmesh.k8s.aws'],
};
const CANARIES = 'canaries.flagger.app';
const definitionRef = (name: string): ObjectRef => ({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name });
/** AWS App Mesh, which nothing embedded honours. */
export const appMeshCrds = (): KubeObject[] =>
  ['VirtualService', 'VirtualRouter', 'VirtualNode'].map((kind) =>
    definition('appmesh.k8s.aws', kind, `${kind.toLowerCase()}s`, ['v1beta2']),
  );
/** A definition that does not end by then is not waited for. */
const LONGEST_END_MS = 120_000;
const LOOK_MS = 250;

/** Actions of an administrator on the modelled cluster. */
export class ModelledDisasters {
  readonly #server: ModelServer;
  readonly #life: Pick<Life, 'provider'>;
  #backup: Backup | undefined;

  constructor(server: ModelServer, life: Pick<Life, 'provider'>) {
    this.#server = server;
    this.#life = life;
  }

  backUp(): void {
    this.#backup = Backup.of(this.#server);
  }

  /** Returns false if there are no definitions to remove. */
  async removeDefinitions({ of, forMs }: Removal, pass: Pass): Promise<boolean> {
    const server = this.#server;
    const named = of === 'Serin' ? [CANARIES] : (MESH[this.#life.provider ?? 'istio'] ?? []);
    const found = named.flatMap((name) => server.find(definitionRef(name)) ?? []);
    for (const crd of found) server.delete(refOf(crd));
    await pass(forMs);
    for (let ms = 0; ms < LONGEST_END_MS && found.some((crd) => server.find(refOf(crd))); ms += LOOK_MS) await pass(LOOK_MS);
    for (const { apiVersion, kind, metadata, spec } of found) {
      const { name } = metadata;
      if (!server.find(definitionRef(name))) server.create({ apiVersion, kind, metadata: { name }, spec: { ...(spec as object) } });
    }
    return found.length > 0;
  }

  async restore(restore: Restore, pass: Pass): Promise<Acted | undefined> {
    const server = this.#server;
    const backup = this.#backup;
    const home = server.find(namespaceRef);
    if (backup === undefined) return undefined;
    if (restore.lost !== 'all' && (home === undefined || home.metadata.deletionTimestamp !== undefined)) return undefined;
    const version = (): string | undefined => raw(server.find(targetRef))?.spec.template.spec.containers[0].image;
    const hasCanary = (): boolean => server.serves(canaryRef) && server.api.store.list('flagger.app/canaries').length > 0;
    const wasThere = version() !== undefined || hasCanary();
    if (!(await restoreInto(server, backup, restore, pass))) return { isTaken: true };
    return meaningOf(restore, { target: version(), isGuarded: hasCanary(), wasThere, backup });
  }
}
