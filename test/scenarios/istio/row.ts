import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Routes, weight } from '../../../src/api/routes.ts';
import type { AppName } from '../providers/provider-fixture.ts';
import type { Asked as AskedByRow, Expected, Row as RouteRow } from '../route-rows.ts';
import type { Pods } from '../shares/split-app.ts';

export interface Asked extends AskedByRow {
  /** Default: the apex Service. */
  host?: string;
  /** Port of the Service; default 80. */
  port?: number;
  /** The request enters by the ingress gateway; default: from inside the mesh. */
  isOutside?: boolean;
}

export interface Row extends Omit<RouteRow, 'asks'> {
  /** Objects of the user's: a VirtualService that delegates. */
  objects?(app: AppName): KubeObject[];
  asks: readonly (readonly [Asked, Expected])[];
}
export const row = (what: string, given: Omit<Row, 'what' | 'asks'>, ...asks: Row['asks']): Row => ({ what, ...given, asks });

export const canary: Routes = { kind: 'weighted', canary: weight(100) };
export const TWO_PORTS: Pods = {
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'http-admin', containerPort: 9090 },
  ],
};
