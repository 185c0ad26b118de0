import * as z from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import type { User } from './user.ts';

/** One request, as RBAC sees it. Without `namespace`: all namespaces, or a cluster-scoped kind. */
export interface ResourceAccess {
  verb: string;
  group: string;
  resource: string;
  namespace?: string | undefined;
  name?: string | undefined;
}

/** Time for which an answer is used: a withdrawn right ends within it. */
export const GRANTED_MS = 30_000;
/** Longer: a reader can lack the right to many namespaces, and each costs a review. */
export const DENIED_MS = 120_000;
/** Answers of one session. */
const MOST_ANSWERS = 4_096;
/** Reviews of one session at once. */
const MOST_AT_ONCE = 4;

const Reviewed = z.object({ allowed: z.boolean(), denied: z.boolean().optional() });

/** Rights of one user, by SubjectAccessReviews. */
export class Rights {
  readonly #cluster: Pick<Cluster, 'create'>;
  readonly #user: User;
  readonly #clock: Clock;
  readonly #answers = new Map<string, { allowed: Promise<boolean>; untilMs: number }>();
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(cluster: Pick<Cluster, 'create'>, user: User, clock: Clock) {
    this.#cluster = cluster;
    this.#user = user;
    this.#clock = clock;
  }

  get user(): User {
    return this.#user;
  }

  /** Rejects if the API server does not answer: an unknown right is not granted. */
  async may(request: ResourceAccess): Promise<boolean> {
    const key = JSON.stringify([request.verb, request.group, request.resource, request.namespace ?? '', request.name ?? '']);
    const known = this.#answers.get(key);
    if (known !== undefined && this.#clock.monotonicMs() < known.untilMs) return known.allowed;
    const answer = { allowed: this.#review(request), untilMs: this.#clock.monotonicMs() + GRANTED_MS };
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MOST_ANSWERS) break;
      this.#answers.delete(oldest);
    }
    try {
      const allowed = await answer.allowed;
      if (!allowed) answer.untilMs = this.#clock.monotonicMs() + DENIED_MS;
      return allowed;
    } catch (error) {
      if (this.#answers.get(key) === answer) this.#answers.delete(key);
      throw error;
    }
  }

  /** The same as an error, worded as the API server words it. */
  async demand(request: ResourceAccess): Promise<void> {
    if (await this.may(request)) return;
    const { verb, group, resource, namespace, name } = request;
    const what = `${resource}${group && `.${group}`}${name === undefined ? '' : ` "${name}"`}`;
    const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
    const message = `${what} is forbidden: User "${this.#user.name}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
    throw new ApiError(message, { status: 403, reason: 'Forbidden', denial: { by: 'authorization' } });
  }

  async #review({ verb, group, resource, namespace, name }: ResourceAccess): Promise<boolean> {
    if (this.#underWay >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#underWay += 1;
    try {
      const { name: user, uid, groups, extra } = this.#user;
      const answer = await this.#cluster.create({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: { name: '' },
        spec: {
          ...{ user, groups, extra, ...(uid !== undefined && { uid }) },
          resourceAttributes: { verb, group, resource, ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) },
        },
      });
      const { allowed, denied } = Reviewed.parse(answer.status);
      return allowed && denied !== true;
    } finally {
      this.#underWay -= 1;
      this.#waiting.shift()?.();
    }
  }
}
