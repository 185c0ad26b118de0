import type fc from 'fast-check';
import type { Canary } from '../../../src/api/canary.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Routes, UnreadableRoutes } from '../../../src/api/routes.ts';
import type { JsonRecord } from '../../../src/base/json.ts';

/** One kind of route of which Serin splits the backends that name the application. */
export interface SplitCase {
  /** Rules as users write them; `application` is what a backend of the application looks like. */
  rules: fc.Arbitrary<JsonRecord[]>;
  /** The field of a rule that says which requests it takes. */
  conditions: string;
  route(rules: JsonRecord[]): KubeObject;
  split(canary: Canary, found: KubeObject, routes: Routes): JsonRecord[];
  join(canary: Canary, found: KubeObject): JsonRecord[];
  read(canary: Canary, found: KubeObject): Routes | UnreadableRoutes | undefined;
  /** The Services that answer requests to a rule, with their weights as they count. */
  answers(rule: JsonRecord): { service: string; weight: number }[];
  /** Kinds of routes that it can express. */
  can: { match: boolean; affinity: boolean; mirror: boolean };
}
