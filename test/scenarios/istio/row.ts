import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Routes, weight } from '../../../src/api/routes.ts';
import type { AppName } from '../providers/provider-fixture.ts';
import type { Pods } from '../shares/split-app.ts';

export interface Asked {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  /** Default: the apex Service. */
  host?: string;
  /** Of the Service; default 80. */
  port?: number;
  /** By the ingress gateway; default: from inside the mesh. */
  isOutside?: boolean;
}

/** What comes back. `version` and `pod` are those of the pod, which also says what reached it. */
export interface Expected {
  status?: number;
  version?: '1' | '2';
  /** As the pod received it. */
  path?: string;
  /** Container port that it came in by. */
  port?: number;
  /** Headers that the pod received; undefined: it did not. */
  received?: Record<string, string | undefined>;
  /** Headers of the answer. */
  answered?: Record<string, string | undefined>;
}

export interface Row {
  what: string;
  service?: object;
  routes?: Routes;
  pods?: Pods;
  /** Objects of the user's: a VirtualService that delegates. */
  objects?(app: AppName): KubeObject[];
  asks: readonly (readonly [Asked, Expected])[];
}

export const primary: Routes = { kind: 'weighted', canary: weight(0) };
export const canary: Routes = { kind: 'weighted', canary: weight(100) };
export const insider = (condition: object): Routes => ({
  kind: 'matched',
  match: [{ headers: { 'x-canary': condition as { exact: string } } }],
});
export const by = (value: string): Asked => ({ headers: { 'x-canary': value } });
export const TWO_PORTS: Pods = {
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'http-admin', containerPort: 9090 },
  ],
};
