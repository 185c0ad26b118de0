import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import type { User } from '../../src/dashboard/access/user.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { HeldCluster } from './held-cluster.ts';
import { raw } from './raw.ts';

/** A cluster that knows tokens and rights, and answers reviews of them. Its other requests check no rights: the code under test must. */
export class ReviewedCluster extends HeldCluster {
  /** Users by token. */
  readonly users = new Map<string, { user: User; audience: string }>();
  /** `ann list canaries a`; without a namespace in all. */
  readonly rights = new Set<string>();
  /** Objects of requests that create one. */
  readonly created: KubeObject[] = [];
  readonly patched: { ref: ObjectRef; patch: unknown }[] = [];
  /** Requests for objects, reviews not among them. */
  readonly read: string[] = [];
  /** The API server does not answer reviews. */
  isDown = false;

  override get(ref: ObjectRef): Promise<KubeObject | undefined> {
    this.read.push(`get ${ref.kind} ${ref.namespace}/${ref.name}`);
    return super.get(ref);
  }

  override list(...[kind, selection]: Parameters<HeldCluster['list']>) {
    this.read.push(`list ${kind.kind} ${kind.namespace}`);
    return super.list(kind, selection);
  }

  override watch(...[kind, handler, selection]: Parameters<HeldCluster['watch']>) {
    this.read.push(`watch ${kind.kind} ${kind.namespace}`);
    return super.watch(kind, handler, selection);
  }

  async create(object: KubeObject): Promise<KubeObject> {
    this.created.push(object);
    if (this.isDown) throw new Error('connect ECONNREFUSED');
    const spec = raw(object).spec;
    if (object.kind === 'TokenReview') {
      const known = this.users.get(spec.token);
      const isFor = known !== undefined && (spec.audiences ?? ['api']).includes(known.audience);
      if (!known || !isFor) return { ...object, status: { user: {}, error: `invalid bearer token ${spec.token}` } };
      const { name: username, ...user } = known.user;
      return { ...object, status: { authenticated: true, user: { username, ...user }, audiences: [known.audience] } };
    }
    const { verb, resource, namespace } = spec.resourceAttributes;
    const allowed = this.rights.has(`${spec.user} ${verb} ${resource} ${namespace}`) || this.rights.has(`${spec.user} ${verb} ${resource}`);
    return { ...object, status: { allowed } };
  }

  async patch(ref: ObjectRef, patch: unknown): Promise<KubeObject> {
    this.patched.push({ ref, patch });
    const before: KubeObject = (await super.get(ref)) ?? { ...ref, metadata: { name: ref.name } };
    const { annotations } = raw(patch as object).metadata;
    const after = { ...before, metadata: { ...before.metadata, annotations: { ...before.metadata.annotations, ...annotations } } };
    this.put(after);
    return after;
  }

  resourceOf(apiVersion: string, kind: string): ReturnType<KubeCluster['resourceOf']> {
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    return Promise.resolve({ group, plural: kind === 'Canary' ? 'canaries' : `${kind.toLowerCase()}s` });
  }

  give(user: string, namespace: string | undefined, ...verbs: string[]): void {
    for (const verb of verbs) this.rights.add(`${user} ${verb} canaries${namespace === undefined ? '' : ` ${namespace}`}`);
  }

  async settled(): Promise<void> {}
}
